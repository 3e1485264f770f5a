import type { z } from "zod";
import { AirlockError, namesOf } from "../fault/index.ts";
import type { ServiceName } from "./setting.ts";
import { SETTINGS, type SettingName, type SettingValue } from "./settings.ts";

export type Config<Name extends SettingName> = { readonly [Key in Name]: SettingValue<Key> };
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the named settings from the environment, frozen. Throws CONFIG_INVALID that lists every bad value,
 * every missing one, and every variable that begins with AIRLOCK_ and isn't known.
 */
export function loadConfig<const Name extends SettingName>(
  names: readonly Name[],
  environment: Environment = process.env,
): Config<Name> {
  const problems = unknownVariables(environment);
  const entries = names.map((name): [string, unknown] => {
    const setting = SETTINGS[name];
    const text = environment[setting.env] ?? setting.fallback;
    if (text === null) {
      problems.push(`${setting.env} is not set: ${setting.doc}`);
      return [name, undefined];
    }
    const schema: z.ZodType = setting.schema;
    const parsed = schema.safeParse(text);
    if (!parsed.success) problems.push(`${setting.env}: ${issueText(parsed.error)} (${setting.doc})`);
    return [name, parsed.data];
  });
  if (problems.length > 0) {
    throw new AirlockError("CONFIG_INVALID", problems.map((problem) => `\n  ${problem}`).join(""));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was read by its own schema
  return Object.freeze(Object.fromEntries(entries)) as Config<Name>;
}

/** The options that this process of Node.js was started with. */
export function nodeOptions(environment: Environment = process.env): readonly string[] {
  return [...process.execArgv, ...(environment["NODE_OPTIONS"] ?? "").split(/\s+/)];
}

/** Reads everything that a service reads, so that one start names all that is wrong. */
export function checkConfig(reader: ServiceName, environment: Environment = process.env): void {
  loadConfig(
    namesOf(SETTINGS).filter((name) => readersOf(name).includes(reader)),
    environment,
  );
}

function readersOf(name: SettingName): readonly string[] {
  return SETTINGS[name].readers;
}

function unknownVariables(environment: Environment): string[] {
  const known = Object.values(SETTINGS).map((setting): string => setting.env);
  return Object.keys(environment)
    .filter((name) => name.startsWith("AIRLOCK_") && !known.includes(name))
    .map((name) => `${name} is not a setting; did you mean ${nearest(name, known)}?`);
}

/** A setting without our prefix counts as near when only the prefix is too much. */
function nearest(name: string, known: readonly string[]): string {
  const bare = name.slice("AIRLOCK_".length);
  if (known.includes(bare)) return bare;
  const ranked = known.toSorted((a, b) => distance(name, a) - distance(name, b));
  return ranked[0] ?? "";
}

/** Levenshtein distance: how many letters a typing error has to change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function issueText(error: z.ZodError): string {
  return error.issues.map((issue) => issue.message).join("; ");
}
