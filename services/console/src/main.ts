import { runService } from "@airlock/core/runtime";
import { startConsole } from "./start.ts";

await runService("console", startConsole);
