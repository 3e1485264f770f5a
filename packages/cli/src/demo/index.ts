export { runDemo } from "./run-demo.ts";
export { callCounts } from "./summary.ts";
export {
  approvalFindings,
  contractFindings,
  cutWriteFindings,
  fixedPrice,
  fixTestFindings,
  forbiddenFindings,
  type Seen,
} from "./findings.ts";
