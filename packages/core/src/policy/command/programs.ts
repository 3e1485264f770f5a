import { DEVELOPING_PROGRAMS } from "./developing-programs.ts";
import { FILE_PROGRAMS } from "./file-programs.ts";
import { baseName } from "./part.ts";
import type { ProgramFacts } from "./program-facts.ts";

const PROGRAMS: ReadonlyMap<string, ProgramFacts> = new Map([...DEVELOPING_PROGRAMS, ...FILE_PROGRAMS]);

/** By the name without its folder and, as of python3.12 or gcc-14, without its version. */
export function factsOf(exe: string): ProgramFacts {
  const name = baseName(exe);
  return PROGRAMS.get(name) ?? PROGRAMS.get(withoutVersion(name)) ?? {};
}

export function withoutVersion(name: string): string {
  return name.replace(/-?\d[\d.]*$/, "");
}
