import type { Book } from "../book.ts";
import type { ConformanceCase } from "../case.ts";
import { endings, noStream } from "./endings.ts";
import { errorFrames } from "./errors.ts";
import { encoding, framing } from "./framing.ts";
import { limits } from "./limits.ts";

/** What holds for the bytes of every family: framing, encoding, sizes, and how a connection ends. */
export function transportCases(book: Book): readonly ConformanceCase[] {
  return [
    ...framing(book),
    ...errorFrames(book),
    ...encoding(book),
    ...noStream(book),
    ...endings(book),
    ...limits(book),
  ];
}
