import { accept, refuse, type Checked } from "../refusal.ts";
import type { PlayableRequest } from "../request/index.ts";

/** Reads model and mode out of `/v1beta/models/{model}:{operator}`. A stream has to be asked for as events. */
export function readGeminiPath(url: string): Checked<Pick<PlayableRequest, "model" | "mode">> {
  const [path = "", query = ""] = url.split("?", 2);
  const [, name = "", operator] = /^\/v1beta\/models\/(.+):(\w+)$/u.exec(path) ?? [];
  const model = decoded(name);
  if (model === null) return refuse("invalid_request", "the model is not URL-encoded", "model");
  if (operator === "generateContent") return accept({ model, mode: "buffered" });
  if (new URLSearchParams(query).get("alt") === "sse") return accept({ model, mode: "stream" });
  return refuse("invalid_request", "a stream without alt=sse is one JSON array, which is not played", "alt");
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that escapes nothing; the caller says so.
    return null;
  }
}
