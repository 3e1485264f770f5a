export { approverField } from "./approver-field.ts";
export {
  judgeAnswers,
  readAnswer,
  verifyAnswer,
  type AnswersJudgement,
  type Question,
} from "./judge-answers.ts";
export { readAnswers, storeAnswer, type StoredAnswer } from "./store-answer.ts";
