import type { IncomingHttpHeaders } from "node:http";
import { accept, refuse, type Checked } from "../refusal.ts";

/** Checks the bearer token; without a list of keys any token will do, but there has to be one. */
export function checkAuthorization(
  headers: IncomingHttpHeaders,
  apiKeys: readonly string[] | null,
): Checked<null> {
  const key = /^Bearer ([\x21-\x7e]+)$/u.exec(headers.authorization ?? "")?.[1];
  if (key === undefined) {
    return refuse("invalid_api_key", "the Authorization header has to be `Bearer <key>`", "Authorization");
  }
  if (apiKeys === null || apiKeys.includes(key)) return accept(null);
  return refuse("invalid_api_key", "the API key is not known", "Authorization");
}

/** Checks that the body is declared as JSON and that the answer is wanted as it is: a cut gzip stream hides where. */
export function checkBodyHeaders(headers: IncomingHttpHeaders): Checked<null> {
  const type = headers["content-type"] ?? "";
  if (!/^application\/json(?:\s*;\s*charset=utf-8)?$/iu.test(type)) {
    return refuse("invalid_request", "the content type has to be application/json", "Content-Type");
  }
  if (headers["accept-encoding"] === "identity") return accept(null);
  return refuse("invalid_request", "the accepted encoding has to be identity", "Accept-Encoding");
}
