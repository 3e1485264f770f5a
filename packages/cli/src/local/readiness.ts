import { z } from "zod";

const answerSchema = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean() })),
});

export type Readiness =
  | { readonly status: "ready" }
  /** `reasons`: the checks that don't hold */
  | { readonly status: "waiting"; readonly reasons: readonly string[] }
  | { readonly status: "silent" };

const ANSWER_MS = 1_000;

/** Asks a service whether it is ready. */
export async function askReady(port: number): Promise<Readiness> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/ready`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { ready, checks } = answerSchema.parse(await response.json());
    if (ready) return { status: "ready" };
    return { status: "waiting", reasons: checks.flatMap(({ name, ok }) => (ok ? [] : [name])) };
  } catch {
    return { status: "silent" }; // not listening yet, or not any more
  }
}

/** The gateway has no /ready: any answer to its list of models will do. */
export async function askGateway(port: number): Promise<Readiness> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/models`, {
      headers: { authorization: "Bearer readiness" },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.arrayBuffer();
    return { status: "ready" };
  } catch {
    return { status: "silent" };
  }
}
