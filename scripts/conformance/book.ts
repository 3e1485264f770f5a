import type { Family } from "@airlock/core/wire";
import type { Expectation } from "./case.ts";

/** One call by the book in a family's own frames: what the tables that hold for every family are made from. */
export interface Book {
  readonly family: Family;
  /** All before the frame that closes the stream, and that frame. */
  readonly before: string;
  readonly closing: string;
  readonly expect: Expectation;
  /** The raw signal where the closing frame is missing. */
  readonly rawBeforeClosing: string | null;
  /** How a stream ends that is not cut. */
  readonly end: "closed_by_marker" | "clean";
  /** The same response as one body. */
  readonly whole: unknown;
  /** A stream, or a body, with a call for each argument text, each under its own id. */
  readonly calls: (...argumentTexts: readonly string[]) => string;
  readonly wholeCalls: (...argumentTexts: readonly string[]) => unknown;
  readonly callIds: readonly (string | null)[];
  /** Whether arguments are a text that can hold anything, or an object of the frame. */
  readonly argumentsAre: { readonly streamed: "text" | "object"; readonly whole: "text" | "object" };
}
