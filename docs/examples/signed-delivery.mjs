// @ts-check
import { createHmac, timingSafeEqual } from "node:crypto";

const MAX_BYTES = 65_536;
const MAX_AGE_SECONDS = 300;

/**
 * Reads a request of Airlock's console; null where it is too large, too old, or not signed with the secret. The signature
 * is over the bytes as they came, so they are parsed only afterwards.
 * @param {import("node:http").IncomingMessage} request
 * @param {string} secret
 * @returns {Promise<any>}
 */
export async function readSigned(request, secret) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString("utf8");
  const timestamp = String(request.headers["airlock-timestamp"] ?? "");
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > MAX_AGE_SECONDS) return null;
  const given = Buffer.from(String(request.headers["airlock-signature"] ?? ""));
  const digest = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  const expected = Buffer.from(`sha256=${digest}`);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return JSON.parse(body);
}

/** The ids of the latest messages that were passed on: a delivery may come twice. */
export function latestIds() {
  /** @type {Set<string>} */
  const ids = new Set();
  return {
    /** @param {string} id */
    has: (id) => ids.has(id),
    /** @param {string} id */
    add(id) {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > 10_000 && oldest !== undefined) ids.delete(oldest);
    },
  };
}
