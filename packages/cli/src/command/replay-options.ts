// The flags of `replay` in, the options of a replay out; refuses families, numbers and tool lists that can't be.
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { FAMILIES } from "@airlock/core/wire";
import { readToolNames, type Registered, type ReplayOptions } from "../replay/index.ts";
import type { CommandCall } from "./command.ts";
import { readText } from "./recordings.ts";

const MARKERS = ["required", "optional"] as const;

export function replayOptions(
  call: CommandCall,
  folder: string,
): ReplayOptions & { readonly tools: Registered } {
  return {
    family: oneOf("family", call.text("family"), FAMILIES),
    buffered: call.on("buffered"),
    closingMarker: oneOf("closing-marker", call.text("closing-marker") ?? "optional", MARKERS),
    maxOutputTokens: positive("max-output-tokens", call.text("max-output-tokens")),
    chunkBytes: positive("chunk", call.text("chunk")),
    tools: toolsOf(call.text("tools"), folder),
  };
}

function oneOf<Word extends string>(flag: string, given: string | undefined, words: readonly Word[]): Word {
  const word = words.find((known) => known === given);
  if (word !== undefined) return word;
  const found = given === undefined ? "is missing" : `${given} is unknown`;
  throw new AirlockError("USAGE", `--${flag} ${found}; it has to be one of ${words.join(", ")}`);
}

function positive(flag: string, given: string | undefined): number | null {
  if (given === undefined) return null;
  const number = Number(given);
  if (/^\d+$/.test(given) && number > 0 && Number.isSafeInteger(number)) return number;
  throw new AirlockError("USAGE", `--${flag} ${given}: it has to be a whole number above 0`);
}

function toolsOf(file: string | undefined, folder: string): Registered {
  if (file === undefined) return null;
  const place = path.resolve(folder, file);
  const read = readToolNames(readText(place));
  if (!read.ok) throw new AirlockError("USAGE", `--tools ${place}: ${read.problem}`);
  return read.names;
}
