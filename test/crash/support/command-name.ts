import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { z } from "zod";
import { ROOT } from "../../support/root.ts";

/**
 * The name of a command as failpoints know it: the command's or the script's, then its first key, as in
 * `ledger-begin airlock:{…}:ledger:…` or `addStandardJob {airlock:results}:results:wait`.
 */
export type NameCommand = (words: readonly string[]) => string;

const ownScript = z.object({ name: z.string(), lua: z.string() });
const QUEUE_SCRIPTS = createRequire(import.meta.url).resolve("bullmq/dist/cjs/scripts/index.js");
const queueScript = z.object({ name: z.string(), content: z.string() });

export async function createNamer(): Promise<NameCommand> {
  const names = new Map<string, string>();
  for (const value of await exportsOf(ownScriptFiles())) {
    const script = ownScript.safeParse(value);
    if (script.success) names.set(sha1(script.data.lua), script.data.name);
  }
  for (const value of await exportsOf([QUEUE_SCRIPTS])) {
    const script = queueScript.safeParse(value);
    if (script.success) names.set(sha1(script.data.content), script.data.name);
  }
  return (words) => {
    const [command = "", first = "", , key = ""] = words;
    const verb = command.toLowerCase();
    if (verb === "evalsha") return `${names.get(first) ?? "(unknown script)"} ${key}`;
    if (verb === "eval") return `${names.get(sha1(first)) ?? "(unknown script)"} ${key}`;
    return `${verb} ${first}`;
  };
}

function ownScriptFiles(): readonly string[] {
  const folder = path.join(ROOT, "packages/core/src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((file) => /script[^/]*\.ts$/.test(file)).map((file) => path.join(folder, file));
}

async function exportsOf(files: readonly string[]): Promise<readonly unknown[]> {
  const modules = await Promise.all(files.map((file): Promise<object> => import(file)));
  return modules.flatMap((module) => Object.values<unknown>({ ...module }));
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
