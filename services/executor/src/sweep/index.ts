export { startVolumeSweeper } from "./volume-sweeper.ts";
