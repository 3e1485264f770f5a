import type { IncomingHttpHeaders } from "node:http";
import { accept, refuse, type Checked } from "../refusal.ts";

/**
 * Checks the bearer token or, where the family has a header of its own for it, the key in there. Without a list of
 * keys any key will do, but there has to be one; where two are sent, both have to be right.
 */
export function checkAuthorization(
  headers: IncomingHttpHeaders,
  apiKeys: readonly string[] | null,
  keyHeader: string | null,
): Checked<null> {
  const { authorization } = headers;
  const own = keyHeader === null ? undefined : headers[keyHeader];
  const bearer = authorization === undefined ? [] : [/^Bearer (.*)$/u.exec(authorization)?.[1] ?? ""];
  const keys = [...bearer, ...(own === undefined ? [] : [String(own)])];
  if (keys.length === 0 || keys.some((key) => !/^[\x21-\x7e]+$/u.test(key))) {
    const other = keyHeader === null ? "" : `, or ${keyHeader} the key`;
    const message = `the Authorization header has to be \`Bearer <key>\`${other}`;
    return refuse("invalid_api_key", message, "Authorization");
  }
  if (apiKeys === null || keys.every((key) => apiKeys.includes(key))) return accept(null);
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
