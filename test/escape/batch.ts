import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { inject, onTestFinished } from "vitest";
import { openGrantedCalls, type GrantedCalls, type GrantedRun } from "../support/granted-calls.ts";

/** What each attempt printed: bash that prints nothing where it was stopped. */
export type Findings = Readonly<Record<string, string>>;

const KEPT_BYTES = 2000;

/** Makes many attempts in one call, since most of a call's time is its start. */
export async function attempt(
  run: GrantedRun,
  attempts: Readonly<Record<string, string>>,
): Promise<Findings> {
  const names = Object.keys(attempts);
  const blocks = Object.values(attempts).map(
    (script) => `( ${script}\n) 2>/dev/null </dev/null | head -c ${KEPT_BYTES} | base64 -w0; echo`,
  );
  const { stdout, end } = await run.bash(blocks.join("\n"));
  const lines = stdout.split("\n");
  if (lines.length !== names.length + 1) throw new Error(`the batch broke off: ${JSON.stringify(end)}`);
  return Object.fromEntries(
    names.map((name, at) => [
      name,
      Buffer.from(lines[at] ?? "", "base64")
        .toString()
        .trim(),
    ]),
  );
}

/** The same names, each with nothing found. */
export function nothing(attempts: Readonly<Record<string, string>>): Findings {
  return Object.fromEntries(Object.keys(attempts).map((name) => [name, ""]));
}

/** A repository of the test's own, made by a script in its folder, where the executor sees it in an image as well. */
export function sourceMadeBy(name: string, script: string): string {
  const source = path.join(inject("executor").directory, "sources", name);
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  const text = `cd "$1" && git init -q -b main\n${script}\nchmod -R a+rX ..`;
  execFileSync("bash", ["-ec", text, "bash", source], { stdio: "ignore" });
  return source;
}

/** Calls to the executor that all files share. */
export function grantedCalls(): GrantedCalls {
  const calls = openGrantedCalls(inject("executor"));
  onTestFinished(() => calls.close());
  return calls;
}
