import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./generated/api.ts";

export interface ClientOptions {
  /** of the console, such as `https://airlock.example` */
  readonly url: string;
  readonly token: string;
  /** in place of the global one */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export type AirlockClient = Client<paths>;

/** The HTTP interface with its types: `client.GET("/runs/{run}", { params: { path: { run } } })`. */
export function createAirlockClient({ url, token, fetch }: ClientOptions): AirlockClient {
  return createClient<paths>({
    baseUrl: `${url.replace(/\/+$/, "")}/api/v1`,
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    ...(fetch === undefined ? {} : { fetch }),
  });
}
