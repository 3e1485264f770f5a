export { problemLines, schemaProblems, type DocumentProblem } from "./problems.ts";
export { readDocument, type DocumentPath, type DocumentSource } from "./read-document.ts";
