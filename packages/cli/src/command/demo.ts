import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { cliConfig } from "../config.ts";
import { runDemo } from "../demo/index.ts";
import type { Command } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";

const INTERRUPTED = 130;

export const demoCommand: Command = {
  summary: "plays the main job on real parts, from recorded responses, and checks what came of it",
  details:
    "Everything runs in a temporary folder, which is removed at the end. No API key is needed without --live.",
  positional: null,
  flags: {
    live: { value: null, doc: "play the first story with a real model on CometAPI (needs COMETAPI_KEY)" },
    model: { value: "MODEL", doc: "the model for --live" },
    data: { value: "DIR", doc: "keep Redis, keys, logs and workspaces in this folder" },
  },
  async run(call, context) {
    const live = call.on("live");
    const model = call.text("model");
    if (live !== (model !== undefined)) {
      throw new AirlockError("USAGE", "--live and --model MODEL belong together");
    }
    if (live && cliConfig(context.environment).cometapiKey === "") {
      throw new AirlockError("CONFIG_INVALID", "COMETAPI_KEY is not set, and --live needs it");
    }
    const data = call.text("data");
    const interrupts = watchInterrupts();
    interrupts.second.addEventListener("abort", () => process.exit(INTERRUPTED));
    try {
      const held = await runDemo({
        liveModel: model ?? null,
        data: data === undefined ? null : path.resolve(context.folder, data),
        environment: context.environment,
        out: context.out,
        signal: interrupts.first,
      });
      return held ? 0 : 1;
    } catch (error) {
      if (!interrupts.first.aborted) throw error;
      context.errors.print("interrupted; everything was stopped");
      return INTERRUPTED;
    } finally {
      interrupts.stop();
    }
  },
};
