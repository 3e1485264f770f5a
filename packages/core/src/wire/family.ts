/** The wire families that this build speaks. */
export const FAMILIES = ["responses"] as const;

export type Family = (typeof FAMILIES)[number];
