// What a console answered, or how it could not be reached, in; the error that tells a person what to do out.
import { AirlockError, ERRORS, namesOf, type ErrorCode } from "@airlock/core/fault";
import { z } from "zod";

/** A problem document (RFC 9457), as far as it is used here. */
const problemSchema = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  code: z.string().optional(),
});
type Problem = z.infer<typeof problemSchema>;

/** What each status means for whoever holds the token; `URL` stands for the console's address. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [401, "the console at URL does not know this token; make a new one with `airlock console token`"],
  [403, "this token's roles don't allow that; its roles stand in the console's users file"],
  [
    404,
    "there is no Airlock API version 1 at URL; check AIRLOCK_URL, and whether the console is as old or new as this CLI",
  ],
  [421, "the console at URL answers under another address only; see its AIRLOCK_CONSOLE_ORIGIN"],
  [429, "the console at URL still asks to wait"],
]);

/** What the client makes of an answer. */
export interface Reply<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The document that was asked for. The documents are the console's own: whoever could forge them could forge what they tell. */
export async function documentOf<T>(url: string, reply: Promise<Reply<T>>): Promise<T> {
  const { data, error, response } = await reply.catch((cause: unknown) => {
    // whatever answered has no document for us
    throw cause instanceof SyntaxError ? noConsole(url) : cause;
  });
  if (!response.ok) throw refusalOf(url, response.status, error);
  const json = (response.headers.get("content-type") ?? "").includes("json");
  if (json && data !== undefined) return data;
  throw noConsole(url);
}

function noConsole(url: string): AirlockError {
  return new AirlockError("CONSOLE_REFUSED", `${url} is no Airlock console; check AIRLOCK_URL`);
}

export function problemCode(error: unknown): string | undefined {
  return problemOf(error)?.code;
}

export function refusalOf(url: string, status: number, error: unknown): AirlockError {
  const problem = problemOf(error);
  const own = namesOf(ERRORS).find((code) => code === problem?.code);
  if (own !== undefined)
    return new AirlockError(own, problem?.detail ?? problem?.title ?? `status ${status}`);
  // a 404 that is no problem document comes from something that is no console
  const advice = status === 404 && problem !== null ? undefined : ADVICE.get(status);
  const said = problem?.detail ?? problem?.title;
  const code: ErrorCode = status >= 500 ? "CONSOLE_UNAVAILABLE" : "CONSOLE_REFUSED";
  const parts = [advice?.replace("URL", url), said].filter((part) => part !== undefined);
  return new AirlockError(
    code,
    parts.length > 0 ? parts.join(": ") : `${url} answered with status ${status}`,
  );
}

/** Null where it is another server's page. */
function problemOf(error: unknown): Problem | null {
  return problemSchema.safeParse(error).data ?? null;
}

/** What Node calls the ways in which a connection fails. */
const CONNECTION: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND|^EAI_AGAIN/, "there is no host of this name; check AIRLOCK_URL"],
  [/^ECONNREFUSED/, "nothing listens there; check AIRLOCK_URL, and whether the console runs"],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_UNTRUSTED/,
    "its certificate is of no known authority; name yours with NODE_EXTRA_CA_CERTS",
  ],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, "its certificate is not valid now"],
  [/ALTNAME_INVALID/, "its certificate is for another host; check AIRLOCK_URL"],
  [/WRONG_VERSION_NUMBER|EPROTO/, "it does not speak TLS; is it http:// that AIRLOCK_URL has to begin with?"],
];

export function unreachable(url: string, cause: unknown): AirlockError {
  const code = codeOf(cause);
  const [, advice] = CONNECTION.find(([pattern]) => pattern.test(code)) ?? [null, "it does not answer"];
  return new AirlockError("CONSOLE_UNAVAILABLE", `${url}: ${advice} (${code})`, { cause });
}

/** fetch hides the reason in causes, and of several addresses in a list. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  if ("code" in error && typeof error.code === "string") return error.code;
  return inner === undefined ? error.name : codeOf(inner);
}
