import path from "node:path";
import { FAMILIES } from "@airlock/core/wire";
import { replay, timeline } from "../replay/index.ts";
import { replayListText, replayText } from "../view/index.ts";
import { JSON_FLAG, type Command } from "./command.ts";
import { readRecordings } from "./recordings.ts";
import { replayOptions } from "./replay-options.ts";

export const replayCommand: Command = {
  summary: "reads a recorded response, or a folder of them, offline and as the streamer would",
  details:
    "Of a folder it reads the *.sse files, or with --buffered the *.json files that are no *.expected.json.\n" +
    "It ends with 0 whatever the outcome is, and with 2 where the input can't be used.",
  positional: { name: "FILE|DIR", required: true },
  flags: {
    family: { value: "FAMILY", doc: `wire family: ${FAMILIES.join(", ")}` },
    buffered: { value: null, doc: "one whole JSON body in place of a stream" },
    tools: {
      value: "FILE",
      doc: "list of the registered tools' names or manifests, as YAML or JSON (every name is registered)",
    },
    "max-output-tokens": { value: "N", doc: "the output budget that the request named (none)" },
    "closing-marker": { value: "WORD", doc: "required or optional (optional)" },
    chunk: { value: "N", doc: "bytes that are read at a time (all of them)" },
    json: JSON_FLAG,
  },
  async run(call, { folder, out }) {
    const options = replayOptions(call, folder);
    const ending = options.buffered ? ".json" : ".sse";
    const read = readRecordings(path.resolve(folder, call.positional ?? ""), ending);
    const asJson = call.on("json");
    if (read.kind === "folder") {
      const documents = read.recordings.map(({ file, bytes }) => ({ file, ...replay(bytes, options) }));
      out.print(asJson ? JSON.stringify(documents) : replayListText(out, documents));
    } else {
      const { bytes } = read.recording;
      const document = replay(bytes, options);
      out.print(
        asJson ? JSON.stringify(document) : replayText(out, { document, timeline: timeline(bytes, options) }),
      );
    }
    return Promise.resolve(0);
  },
};
