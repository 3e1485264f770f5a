/** What nobody sees: controls, and characters that are there to be ignored, such as a zero-width space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/**
 * One person's field in `:approval:`. Names that differ in case, width, blanks or unseen characters only are one person's:
 * nobody makes up a quorum alone, nor approves what they asked for under a name that looks like their own.
 */
export function approverField(name: string): string {
  const seen = name.normalize("NFKC").replaceAll(/\s+/gu, " ").replaceAll(UNSEEN, "").trim();
  // by way of capitals, as some letters have two small forms
  return seen.toUpperCase().toLowerCase().normalize("NFKC");
}
