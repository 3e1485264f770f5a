import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Keyring } from "@airlock/core/record";

const form = z.object({ csrf: z.string() });

/** Whether the request carries the token, in a header or in the form, compared in constant time. */
export function carriesToken(request: FastifyRequest, token: string): boolean {
  const { headers } = request;
  const sent = headers["x-csrf-token"] ?? headers["x-xsrf-token"] ?? form.safeParse(request.body).data?.csrf;
  if (typeof sent !== "string") return false;
  const [left, right] = [Buffer.from(sent), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Of people whom a proxy signed in there is no session of ours: their token follows from the console's own key. */
export function proxyTokens(keyring: Keyring): (name: string) => string {
  const key = Buffer.from(hkdfSync("sha256", keyring.signing.privateKey, "", "airlock console csrf", 32));
  return (name) => createHmac("sha256", key).update(name).digest("base64url");
}
