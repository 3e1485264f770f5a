/**
 * A model in a process of its own: answers from memory, each turn with one call for the file of 1 KB until there were as many
 * as asked for, then with a report. What a gateway that looks for its recordings costs is no part of the pipeline.
 */
import { createServer } from "node:http";
import { composeStream } from "@airlock/replay";
import { call, REPORT } from "../../../test/support/story.ts";

const turns = Number(process.argv[2]);
const items = [...Array.from({ length: turns }, () => call("read_file", { path: "kilobyte.txt" })), REPORT];
const answers = items.map((item, at) =>
  Buffer.from(composeStream("responses", { id: `reading-${at + 1}`, items: [item] })),
);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const results = Buffer.concat(chunks).toString("utf8").split('"function_call_output"').length - 1;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(answers[results]);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(typeof address === "object" && address !== null ? `${address.port}\n` : "\n");
});
