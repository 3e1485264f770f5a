// Holds the lexer of command texts against bash: what it accepts, bash must split into the same words, as one command.
//   node --conditions=source --import tsx scripts/fuzz-lexer.ts [--accepted 200000] [--seed S]
import { parseArgs } from "node:util";
import { fuzzLexer } from "./fuzz-lexer/fuzz.ts";

const DEFAULT_ACCEPTED = 200_000;

const { values } = parseArgs({ options: { accepted: { type: "string" }, seed: { type: "string" } } });
const accepted = numberOf(values.accepted) ?? DEFAULT_ACCEPTED;
const seed = numberOf(values.seed) ?? Math.floor(Math.random() * 2 ** 31);

process.stdout.write(`seed ${seed}, ${accepted} accepted texts\n`);
const { tried, findings } = await fuzzLexer({ seed, accepted });
process.stdout.write(`${tried} texts tried; ${findings.length} findings\n`);
for (const finding of findings) process.stdout.write(`${JSON.stringify(finding)}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}
