import type { Adapter } from "@airlock/core/wire";
import type { Dispatcher } from "undici";
import { z } from "zod";

const MAX_BYTES = 65_536;
/** A code is a word of the provider's; anything else is text that nobody should keep. */
const CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/** The provider's own code for an error status, or null where the body doesn't hold one. */
export async function readErrorCode(
  adapter: Adapter,
  body: Dispatcher.ResponseData["body"],
): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return null; // leaving the loop cancels the body
    chunks.push(chunk);
  }
  return asCode(codeOf(adapter, Buffer.concat(chunks).toString("utf8")));
}

/** The code, or null where it is none. */
export function asCode(code: string | null): string | null {
  return code !== null && CODE.test(code) ? code : null;
}

function codeOf(adapter: Adapter, text: string): string | null {
  try {
    const body = z.json().parse(JSON.parse(text));
    const errors = adapter.readBuffered(body, text).filter((event) => event.type === "stream_error");
    return errors.map(({ code }) => code).find((code) => code !== null) ?? null;
  } catch {
    return null; // a page, or a body of another shape: the status has to do
  }
}
