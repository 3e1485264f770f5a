import { runService } from "@airlock/core/runtime";
import { startStreamer } from "./start.ts";

await runService("streamer", startStreamer);
