import { runService } from "@airlock/core/runtime";
import { startValidator } from "./start.ts";

await runService("validator", startValidator);
