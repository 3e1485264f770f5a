import { posix } from "node:path";
import type { SourceFile } from "./source-tree.ts";

/** The folders of core in the order of the data flow: each imports only from its left. */
export const CORE_FOLDERS = [
  "fault",
  "document",
  "json",
  "record",
  "tool",
  "wire",
  "terminal",
  "verdict",
  "policy",
  "artifact",
  "call",
  "contract",
  "store",
  "approval",
  "ledger",
  "run",
  "queue",
  "acl",
  "runtime",
] as const;

const CORE = "packages/core/src";

/** Which workspace packages each package may import, besides core's folders. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "packages/core": [],
  "packages/replay": [],
  "services/streamer": [],
  "services/validator": [],
  "services/executor": [],
  "services/console": ["operator"],
  "packages/operator": [],
  "packages/client": [],
  "packages/cli": ["client", "console", "operator", "replay", "streamer", "validator", "executor"],
};

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g;

export function importsOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, specifier]) => (specifier === undefined ? [] : [specifier]));
}

/** One sentence for every import of a file that a rule forbids, and for an environment read outside `config.ts`. */
export function findingsOf(file: SourceFile): readonly string[] {
  const findings = importsOf(file.text).flatMap((specifier) => {
    const wrong = specifier.startsWith(".")
      ? relativeFinding(file.path, specifier)
      : packageFinding(file.path, specifier);
    return wrong === null ? [] : [`${file.path}: ${specifier} ${wrong}`];
  });
  const reads = /\bprocess\.env\b/.test(file.text) && posix.basename(file.path) !== "config.ts";
  return reads ? [...findings, `${file.path}: process.env belongs in a config.ts`] : findings;
}

function relativeFinding(path: string, specifier: string): string | null {
  if (!/\.tsx?$/.test(specifier)) return "does not end in .ts or .tsx";
  const target = posix.join(posix.dirname(path), specifier);
  const source = `${packageOf(path)}/src/`;
  if (!target.startsWith(source)) return "leaves its package's sources";
  return path.startsWith(`${CORE}/`) ? coreFinding(coreFolder(path), target) : null;
}

function coreFinding(from: string, target: string): string | null {
  const to = coreFolder(target);
  if (to === from) return null;
  const place = orderOf(to);
  if (place < 0) return "names no folder of core";
  if (place > orderOf(from)) return `points to the right: ${from} stands before ${to}`;
  return target === `${CORE}/${to}/index.ts` ? null : `reaches past ${to}/index.ts`;
}

function packageFinding(path: string, specifier: string): string | null {
  if (!specifier.startsWith("@airlock/")) return null;
  const [, name = "", ...folder] = specifier.split("/");
  if (name !== "core") {
    return MAY_IMPORT[packageOf(path)]?.includes(name) === true ? null : "is not for this package to import";
  }
  if (packageOf(path) === "packages/core") return "is core itself";
  return folder.length === 1 && orderOf(folder[0] ?? "") >= 0 ? null : "is not one of core's folders";
}

function packageOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function coreFolder(path: string): string {
  return path.slice(CORE.length + 1).split("/")[0] ?? "";
}

function orderOf(folder: string): number {
  return CORE_FOLDERS.findIndex((known) => known === folder);
}
