import picomatch from "picomatch";
import { parseDocument } from "yaml";
import { z } from "zod";
import { AirlockError, namesOf } from "../fault/index.ts";
import { ADAPTERS, PROVES_ITEMS } from "../wire/index.ts";

const milliseconds = z.int().min(1).max(86_400_000);

const routeFields = z.strictObject({
  family: z.enum(namesOf(ADAPTERS)),
  /** an address, or `cometapi` for the one that COMETAPI_BASE_URL names */
  baseUrl: z.union([z.literal("cometapi"), z.url({ protocol: /^https?$/ })]),
  /** patterns of the models that a spec may name */
  models: z.array(z.string().min(1)).min(1),
  /** whether one contract report holds for one model, or for the whole pattern that the model matches */
  reportCovers: z.enum(["model", "pattern"]).default("model"),
  /** `contract`: verified by stored reports; `read_only`: the operator allows `read` tools without one */
  effects: z.enum(["contract", "read_only"]).default("contract"),
  /** what all streamers together may ask of the route; left out: no limit */
  limits: z
    .strictObject({
      concurrency: z.int().min(1).nullable().default(null),
      requestsPerMinute: z.int().min(1).nullable().default(null),
    })
    .prefault({}),
  /** whether a stream of a family with a marker of its own has to end with it */
  closingMarker: z.enum(["required", "optional"]).default("required"),
  /** `item`: on a verified route, calls of `read` tools run before the response has ended, provisionally */
  boundary: z.enum(["response", "item"]).default("response"),
  deadlines: z
    .strictObject({
      connectMs: milliseconds.default(10_000),
      firstByteMs: milliseconds.default(120_000),
      idleMs: milliseconds.default(60_000),
      totalMs: milliseconds.default(900_000),
    })
    .prefault({}),
});

const routeSchema = routeFields.refine(
  ({ family, boundary }) => boundary === "response" || PROVES_ITEMS[family],
  {
    path: ["boundary"],
    message: "item is for families that say when an item is whole: responses, anthropic",
  },
);

const routesSchema = z.strictObject({ routes: z.record(z.string().regex(/^[a-z0-9-]{1,64}$/), routeSchema) });

export type Route = z.infer<typeof routeSchema>;
export type Routes = ReadonlyMap<string, Route>;

/** Reads a routes file. Throws ROUTES_INVALID naming the file, the line, and every wrong key. */
export function parseRoutes(text: string, file: string): Routes {
  const document = parseDocument(text, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken !== undefined) throw new AirlockError("ROUTES_INVALID", `${file}: ${broken.message}`);
  const parsed = routesSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      (issue) => `\n  ${issue.path.map(String).join(".") || "(top)"}: ${issue.message}`,
    );
    throw new AirlockError("ROUTES_INVALID", `${file}:${lines.join("")}`);
  }
  return new Map(Object.entries(parsed.data.routes));
}

/** The pattern that lets a route take a model, or null. */
export function modelPattern(route: Route, model: string): string | null {
  return route.models.find((pattern) => picomatch(pattern)(model)) ?? null;
}

/** What a report for this model has to cover. */
export function reportScope(route: Route, model: string): string | null {
  const pattern = modelPattern(route, model);
  return route.reportCovers === "pattern" || pattern === null ? pattern : model;
}
