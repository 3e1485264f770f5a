/**
 * One person's field in `:approval:`. Names that differ in case, width or blanks only are one person's: nobody makes up a
 * quorum alone, nor approves what they asked for under a name that looks like their own.
 */
export function approverField(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}
