// @ts-check
// Tells a chat room: PORT, SECRET_FILE and CHAT_URL, an address that takes {"text": "…"}.
import { post, required, serve } from "./serve.mjs";

const chat = required("CHAT_URL");

/** @type {Record<string, (message: any) => string>} */
const TEXTS = {
  approval_requested: ({ tool, risk, expiresAt }) =>
    `${tool} (${risk} risk) waits for approval until ${expiresAt}`,
  approval_expiring: ({ tool, expiresAt }) => `${tool} still waits for approval, and expires at ${expiresAt}`,
  approval_decided: ({ tool, answer, by }) =>
    `${tool} was ${answer}${by.length > 0 ? ` by ${by.join(", ")}` : ""}`,
  run_ended: ({ run, state, errorClass }) =>
    `run ${run} ended: ${state}${errorClass ? ` (${errorClass})` : ""}`,
  outcome_unknown: ({ tool, run }) => `nobody knows whether ${tool} of run ${run} had its effect`,
  route_suspended: ({ route }) => `route ${route} is suspended`,
};

serve(async (message) => {
  const text = TEXTS[message.type]?.(message);
  // a newer console may tell of more: not an error, and not worth another attempt
  if (text !== undefined) await post(chat, {}, { text: `${text}\n${message.link}` });
});
