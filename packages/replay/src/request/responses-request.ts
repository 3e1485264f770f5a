/**
 * In comes the text of a `POST /v1/responses` body, out comes the request; refused is whatever the API would refuse
 * or would read in another way than a client that replays its whole conversation means it.
 */
import { z } from "zod";
import { accept, refuse, type Checked } from "../refusal.ts";
import { inputItemSchema } from "./items.ts";
import { checkPairing } from "./pairing.ts";
import { checkTools, toolChoiceSchema, toolSchema } from "./tools.ts";

/** The body's shape. Keys that the API knows and that would make the answer depend on stored state are left out. */
export const responsesRequestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(inputItemSchema).min(1)]),
  instructions: z.string().nullable().exactOptional(),
  tools: z.array(toolSchema).exactOptional(),
  tool_choice: toolChoiceSchema.exactOptional(),
  parallel_tool_calls: z.boolean().nullable().exactOptional(),
  max_output_tokens: z.int().positive().nullable().exactOptional(),
  stream: z.literal(true),
  stream_options: z
    .strictObject({ include_obfuscation: z.boolean().exactOptional() })
    .nullable()
    .exactOptional(),
  store: z.boolean().nullable().exactOptional(),
  include: z
    .array(z.enum(["reasoning.encrypted_content"]))
    .nullable()
    .exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullable().exactOptional(),
      summary: z.enum(["auto", "concise", "detailed"]).nullable().exactOptional(),
    })
    .nullable()
    .exactOptional(),
  temperature: z.number().min(0).max(2).nullable().exactOptional(),
  top_p: z.number().min(0).max(1).nullable().exactOptional(),
  truncation: z.enum(["auto", "disabled"]).nullable().exactOptional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullable().exactOptional(),
  prompt_cache_key: z.string().nullable().exactOptional(),
  safety_identifier: z.string().nullable().exactOptional(),
  service_tier: z.enum(["auto", "default", "flex", "priority"]).nullable().exactOptional(),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

export function parseResponsesRequest(text: string): Checked<ResponsesRequest> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refuse("invalid_request", "the body is not JSON");
  }
  const parsed = responsesRequestSchema.safeParse(body);
  if (!parsed.success) return refuseShape(parsed.error);
  const tools = checkTools(parsed.data.tools ?? []);
  if (!tools.ok) return tools;
  const pairing = checkPairing(typeof parsed.data.input === "string" ? [] : parsed.data.input);
  return pairing.ok ? accept(parsed.data) : pairing;
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
