export { registerBoard } from "./register-board.ts";
