export { gitTools, type GitSettings } from "./git-tools.ts";
