import type { Environment } from "../config.ts";
import type { Screen } from "../view/index.ts";

/** What the process hands to a command. */
export interface CommandContext {
  readonly environment: Environment;
  /** relative paths are seen from here */
  readonly folder: string;
  readonly out: Screen;
  readonly errors: Screen;
}

export interface Flag {
  /** the value's name in the help text; null where the flag takes none */
  readonly value: string | null;
  readonly doc: string;
  readonly multiple?: boolean;
}

export interface Command {
  readonly summary: string;
  /** one line or more below the summary */
  readonly details?: string;
  readonly positional: { readonly name: string; readonly required: boolean } | null;
  readonly flags: Readonly<Record<string, Flag>>;
  /** Returns the exit code. */
  readonly run: (call: CommandCall, context: CommandContext) => Promise<number>;
}

/** A parsed command line. */
export interface CommandCall {
  readonly positional: string | undefined;
  on(flag: string): boolean;
  text(flag: string): string | undefined;
  list(flag: string): readonly string[];
}

export const DATA_FLAG: Flag = { value: "DIR", doc: "folder of `airlock up` (AIRLOCK_DATA, .airlock)" };
export const JSON_FLAG: Flag = { value: null, doc: "print one JSON document and nothing else" };
