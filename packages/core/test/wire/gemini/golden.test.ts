import { describeCorpus } from "../corpus-suite.ts";

describeCorpus({
  family: "gemini",
  atLeast: 4,
  noise: [
    ": ping\n\n",
    ":\n",
    "data:\n\n",
    'event: something_new\ndata: {"type":"something_new","a":1}\n\n',
    'data: {"somethingNew":true}\n\n',
  ],
  errors: [
    'data: {"error":{"code":503,"message":"over","status":"UNAVAILABLE"}}\n\n',
    '{"error":{"code":503,"message":"over","status":"UNAVAILABLE"}}\n\n',
    'data: [{"error":{"code":500,"message":"over","status":"INTERNAL"}}]\n\n',
  ],
  closing: null,
  finishing: /^data: .*"finishReason":\s*"\w+"/gm,
});
