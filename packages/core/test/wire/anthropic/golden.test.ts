import { describeCorpus } from "../corpus-suite.ts";
import { frame } from "../../../../../scripts/conformance/anthropic/frames.ts";

describeCorpus({
  family: "anthropic",
  atLeast: 18,
  noise: [
    ": ping\n\n",
    ":\n",
    "data:\n\n",
    frame("ping"),
    frame("something_new", { a: 1 }),
    frame("content_block_hint", { index: 0, delta: { type: "text_delta", text: "x" } }),
  ],
  errors: [
    frame("error", { error: { type: "overloaded_error", message: "over" } }),
    'data: {"type":"error","error":{"type":"api_error","message":"over"}}\n\n',
  ],
  closing: "event: message_stop",
  finishing: /^data: .*"type":\s*"message_delta".*"stop_reason":\s*"\w+"/gm,
});
