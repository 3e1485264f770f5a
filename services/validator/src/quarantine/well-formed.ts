/** Half a surrogate pair has no UTF-8 form, and the scripts refuse to read one. */
export function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
