import type { Command } from "./command.ts";
import { DATA_FLAG, JSON_FLAG } from "./command.ts";
export const demoCommand: Command = { summary: "plays the demo", positional: null, flags: { json: JSON_FLAG, data: DATA_FLAG }, run: async () => 1 };
