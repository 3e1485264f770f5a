export { gitTools } from "./git-tools.ts";
