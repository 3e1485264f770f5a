export { startVolumeSweeper, type VolumeSweeper } from "./volume-sweeper.ts";
