// @ts-check
// Comments on the pull request that a run was labelled with: PORT, SECRET_FILE, API_URL (of a forge with GitHub's
// interface) and TOKEN_FILE. Runs are submitted with the labels `repository: owner/name` and `pull_request: "42"`.
import { readFileSync } from "node:fs";
import { post, required, serve } from "./serve.mjs";

const api = required("API_URL");
const token = readFileSync(required("TOKEN_FILE"), "utf8").trim();

/** @type {Record<string, (message: any) => string>} */
const TEXTS = {
  approval_requested: ({ tool, risk }) => `\`${tool}\` (${risk} risk) waits for approval`,
  approval_decided: ({ tool, answer }) => `\`${tool}\` was ${answer}`,
  run_ended: ({ state, errorClass }) => `The run ended: ${state}${errorClass ? ` (${errorClass})` : ""}`,
};

serve(async (message) => {
  const text = TEXTS[message.type]?.(message);
  const { repository, pull_request: number } = message.labels;
  // labels are the submitter's words, and become part of an address here
  if (
    text === undefined ||
    !/^[\w-]+\/[\w-][\w.-]*$/.test(repository ?? "") ||
    !/^\d{1,9}$/.test(number ?? "")
  )
    return;
  await post(
    `${api}/repos/${repository}/issues/${number}/comments`,
    { authorization: `Bearer ${token}`, accept: "application/json" },
    { body: `${text}. [Details](${message.link})` },
  );
});
