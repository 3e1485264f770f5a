/** The wire families that this build speaks. */
export const FAMILIES = ["responses", "chat", "anthropic", "gemini"] as const;

export type Family = (typeof FAMILIES)[number];
