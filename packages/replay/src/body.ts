import type { IncomingMessage } from "node:http";
import { accept, refuse, type Checked } from "./refusal.ts";

// Twice what a conversation may weigh.
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Reads a request's body as strict UTF-8. */
export async function readBody(request: IncomingMessage): Promise<Checked<string>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES)
      return refuse("request_too_large", `the body is over ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return accept(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    return refuse("invalid_request", "the body is not UTF-8");
  }
}
