export { junitText } from "./junit-text.ts";
export { markdownText } from "./markdown-text.ts";
export { runReport, type RunReport } from "./report-document.ts";
