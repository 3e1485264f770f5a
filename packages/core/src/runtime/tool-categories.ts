import { z } from "zod";
import { list } from "./setting.ts";

/** What is logged of a tool that has no category, once there are any: a name that nobody thought of must not come through. */
const UNMAPPED = "other";
const PAIR = /^([A-Za-z0-9_.:-]{1,128})=([a-z][a-z0-9_-]{0,31})$/;

/** `name=category` pairs, comma-separated. */
export const toolCategories = list.pipe(
  z
    .array(z.string().regex(PAIR, "has to be NAME=category, with a category of small letters"))
    .refine(
      (pairs) => new Set(pairs.map((pair) => pair.split("=")[0])).size === pairs.length,
      "names a tool twice",
    ),
);

/** What a tool is called in logs: its name, or its category where any are set. A placeholder in brackets is no name. */
export function toolNames(pairs: readonly string[]): (name: string) => string {
  if (pairs.length === 0) return (name) => name;
  const categories = new Map(
    pairs.map((pair) => {
      const [, name = "", category = ""] = PAIR.exec(pair) ?? [];
      return [name, category] as const;
    }),
  );
  return (name) => (name.startsWith("(") ? name : (categories.get(name) ?? UNMAPPED));
}

/** A decision line as it may be told. */
export function withToolName<Line extends Readonly<Record<string, unknown>>>(
  line: Line,
  nameOf: (name: string) => string,
): Line {
  const tool = line["tool_name"];
  return typeof tool === "string" ? { ...line, tool_name: nameOf(tool) } : line;
}
