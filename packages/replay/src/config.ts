import { AirlockError } from "@airlock/core/fault";
import { z } from "zod";
import { misbehaviourSchema, type Misbehaviour } from "./fixture/index.ts";

const PREFIX = "AIRLOCK_GATEWAY_";

export interface GatewayConfig {
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly misbehave: Misbehaviour;
}

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "has to be JSON" });
    return z.NEVER;
  }
});

/** Every variable that the gateway reads, without its prefix. */
const variables = z.strictObject({
  DIRECTORY: z.string({ error: "has to name the folder of fixtures" }).min(1),
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/u, "has to be a port number")
    .default("0")
    .transform(Number)
    .pipe(z.number().max(65_535)),
  MISBEHAVE: json.pipe(misbehaviourSchema).default({}),
});

/** Reads the gateway's configuration; names every bad variable at once. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): GatewayConfig {
  const own = Object.entries(environment).filter(([name]) => name.startsWith(PREFIX));
  const given = Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value]));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    throw new AirlockError("CONFIG_INVALID", parsed.error.issues.flatMap(describe).join("; "));
  }
  const { DIRECTORY, HOST, PORT, MISBEHAVE } = parsed.data;
  return Object.freeze({ directory: DIRECTORY, host: HOST, port: PORT, misbehave: MISBEHAVE });
}

function describe(issue: z.core.$ZodIssue): readonly string[] {
  const [variable, ...inner] = issue.path.map(String);
  if (variable === undefined && issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => `${PREFIX}${name} is not a variable of the gateway`);
  }
  return [`${PREFIX}${variable ?? ""}${inner.map((part) => `.${part}`).join("")}: ${issue.message}`];
}
