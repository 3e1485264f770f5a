import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startGateway, type Gateway, type GatewayOptions } from "@airlock/replay";
import { onTestFinished } from "vitest";
import { z } from "zod";

type Json = Readonly<Record<string, unknown>>;

export const USER = { type: "message", role: "user", content: "Fix the test." };

export const HEADERS = {
  authorization: "Bearer test-key",
  "content-type": "application/json",
  "accept-encoding": "identity",
} as const;

/** A gateway over a folder that holds exactly these files, both gone after the test. */
export async function gatewayOver(
  files: Readonly<Record<string, string>>,
  options: Omit<GatewayOptions, "directory"> = {},
): Promise<Gateway> {
  const directory = await mkdtemp(path.join(tmpdir(), "replay-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(directory, file)), { recursive: true });
    await writeFile(path.join(directory, file), text);
  }
  return gatewayOn({ directory, ...options });
}

export async function gatewayOn(options: GatewayOptions): Promise<Gateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

export function body(overrides: Json = {}): Json {
  return { model: "replay/case", input: [USER], stream: true, ...overrides };
}

export function post(
  gateway: Gateway,
  content: Json | string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    redirect: "manual",
    headers: options.headers ?? HEADERS,
    body: typeof content === "string" ? content : JSON.stringify(content),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** Status and error of an answer, as one object. */
export async function refusalOf(response: Response): Promise<Json> {
  const { error } = z.object({ error: z.record(z.string(), z.unknown()) }).parse(await response.json());
  return { status: response.status, ...error };
}

/** A whole stream with these output items, as short as one can be. */
export function sse(...items: readonly Json[]): string {
  const done = items.map((item, index) =>
    event({ type: "response.output_item.done", output_index: index, item }),
  );
  return [...done, event({ type: "response.completed", response: { status: "completed" } })].join("");
}

export function event(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function call(id: string, extra: Json = {}): Json {
  return {
    id: `fc_${id}`,
    type: "function_call",
    status: "completed",
    arguments: "{}",
    call_id: `call_${id}`,
    name: "list_files",
    ...extra,
  };
}

export function result(id: string, extra: Json = {}): Json {
  return { type: "function_call_output", call_id: `call_${id}`, output: "ok", ...extra };
}

export function reasoning(id: string): Json {
  return { id: `rs_${id}`, type: "reasoning", summary: [], encrypted_content: "sealed" };
}

export function answer(id: string, text = "Done."): Json {
  const content = [{ type: "output_text", annotations: [], logprobs: [], text }];
  return { id: `msg_${id}`, type: "message", status: "completed", content, role: "assistant" };
}
