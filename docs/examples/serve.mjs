// @ts-check
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { latestIds, readSigned } from "./signed-delivery.mjs";

/**
 * Serves one webhook on PORT of this machine: verified messages go to `pass`, once each. 401 for what is not signed; 502
 * where passing it on failed, so that the console tries again.
 * @param {(message: any) => Promise<void>} pass
 */
export function serve(pass) {
  const secret = readFileSync(required("SECRET_FILE"), "utf8").trim();
  const passed = latestIds();
  /** @type {(request: import("node:http").IncomingMessage) => Promise<number>} */
  const answer = async (request) => {
    const message = await readSigned(request, secret);
    if (message === null) return 401;
    if (passed.has(message.id)) return 204;
    try {
      await pass(message);
      passed.add(message.id);
      return 204;
    } catch (error) {
      console.error(`${message.type} ${message.id} was not passed on:`, error);
      return 502;
    }
  };
  const server = createServer((request, response) => {
    void answer(request)
      .catch(() => 400)
      .then((status) => response.writeHead(status).end());
  });
  server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
    const address = server.address();
    console.log(`listening on ${address !== null && typeof address === "object" ? address.port : ""}`);
  });
}

/**
 * @param {string} name
 * @returns {string}
 */
export function required(name) {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`set ${name}`);
  return value;
}

/**
 * Sends JSON; throws unless it was taken.
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {unknown} body
 */
export async function post(url, headers, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(4_000),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
}
