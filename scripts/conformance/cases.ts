import { FAMILIES, type Family } from "@airlock/core/wire";
import { BLOCKS } from "./anthropic/blocks.ts";
import { OUTCOMES as ANTHROPIC_OUTCOMES } from "./anthropic/outcomes.ts";
import { argumentCases } from "./arguments.ts";
import { BOOKS } from "./books.ts";
import type { ConformanceCase } from "./case.ts";
import { IDENTITY } from "./chat/identity.ts";
import { OUTCOMES as CHAT_OUTCOMES } from "./chat/outcomes.ts";
import { TERMINATION } from "./chat/termination.ts";
import { GEMINI_CASES } from "./gemini/cases.ts";
import { DEVIATIONS } from "./responses/deviations.ts";
import { PROTOCOL } from "./responses/protocol.ts";
import { transportCases } from "./transport/index.ts";

const OWN: Readonly<Record<Family, readonly ConformanceCase[]>> = {
  responses: [...PROTOCOL, ...DEVIATIONS],
  chat: [...CHAT_OUTCOMES, ...IDENTITY, ...TERMINATION],
  anthropic: [...ANTHROPIC_OUTCOMES, ...BLOCKS],
  gemini: GEMINI_CASES,
};

/** Every case of the suite, by family; within one, no two have the same name. */
export function conformanceCases(): ReadonlyMap<Family, readonly ConformanceCase[]> {
  return new Map(
    FAMILIES.map((family) => {
      const book = BOOKS[family];
      const cases = [...OWN[family], ...transportCases(book), ...argumentCases(book)];
      const names = new Set(cases.map(({ name }) => name));
      if (names.size < cases.length)
        throw new RangeError(`two ${family} cases have one name: ${repeated(cases)}`);
      return [family, cases] as const;
    }),
  );
}

function repeated(cases: readonly ConformanceCase[]): string {
  return cases
    .map(({ name }) => name)
    .filter((name, at, names) => names.indexOf(name) !== at)
    .join(", ");
}
