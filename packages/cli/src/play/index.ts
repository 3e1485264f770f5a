export { play, type Stage } from "./play.ts";
