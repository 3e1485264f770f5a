/** In comes the text of a body and a schema, out comes the checked body; refused is what the schema does not allow. */
import type { z } from "zod";
import { accept, refuse, type Checked } from "../refusal.ts";

export function parseBody<T>(text: string, schema: z.ZodType<T>): Checked<T> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refuse("invalid_request", "the body is not JSON");
  }
  const parsed = schema.safeParse(body);
  return parsed.success ? accept(parsed.data) : refuseShape(parsed.error);
}

function refuseShape(error: z.ZodError): Checked<never> {
  const issue = deepest(error.issues);
  if (issue === null) return refuse("invalid_request", "the body has the wrong shape");
  const [unknownKey] = issue.code === "unrecognized_keys" ? issue.keys : [];
  if (unknownKey === undefined) return refuse("invalid_request", issue.message, paramOf(issue.path));
  const param = paramOf([...issue.path, unknownKey]);
  return refuse("invalid_request", `unknown parameter: ${param}`, param);
}

type Issue = z.core.$ZodIssue;

/** The issue that lies deepest in the body: of a union's branches, the one that the client most nearly meant. */
function deepest(issues: readonly Issue[]): Issue | null {
  let found: Issue | null = null;
  for (const issue of issues.flatMap(unfold)) {
    if (found === null || issue.path.length > found.path.length) found = issue;
  }
  return found;
}

function unfold(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  return issue.errors.flat().flatMap((inner) => unfold({ ...inner, path: [...issue.path, ...inner.path] }));
}

function paramOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
