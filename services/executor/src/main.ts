import { runService } from "@airlock/core/runtime";
import { startExecutor } from "./start.ts";

await runService("executor", startExecutor);
