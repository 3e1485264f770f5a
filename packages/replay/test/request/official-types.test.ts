import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ResponsesRequest } from "@airlock/replay";
import { expectTypeOf, test } from "vitest";

// Checked by the compiler: at run time nothing is left of it.
test("what the gateway accepts is what the API's own types allow", () => {
  expectTypeOf<ResponsesRequest>().toExtend<ResponseCreateParamsStreaming>();
});
