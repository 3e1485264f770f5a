import type { FastifyReply } from "fastify";

/** Fonts from another origin, and the styles that Bull Board writes into its page while it loads. */
const FOREIGN = [
  /<link[^>]+href="(?:https?:)?\/\/[^>]*>/g,
  /(?<=<div id="root">)[\s\S]*?<\/style>\s*(?=<\/div>)/g,
] as const;

/** Bull Board's HTML with nothing of another origin; everything else as it is. */
export function ownPage(reply: FastifyReply, payload: unknown): unknown {
  const page = String(reply.getHeader("content-type") ?? "").startsWith("text/html");
  if (!page || typeof payload !== "string") return payload;
  const own = FOREIGN.reduce((text, pattern) => text.replace(pattern, ""), payload);
  reply.header("content-length", Buffer.byteLength(own));
  return own;
}
