export { playFixture } from "./play.ts";
