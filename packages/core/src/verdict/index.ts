export { compileSchema, type SchemaCheck } from "./compile-schema.ts";
export { createJudge, type Judge, type JudgedCall, type Verdict } from "./judge.ts";
