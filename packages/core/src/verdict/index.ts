export { compileSchema, type SchemaCheck } from "../tool/index.ts";
export { createJudge, type Judge, type JudgedCall, type Verdict } from "./judge.ts";
