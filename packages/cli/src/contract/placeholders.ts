/** What stands in a redacted recording in place of identifiers. */
export interface Placeholders {
  /** Another identifier of the same length, with the prefix where it is a usual one: the same one wherever the same one stood. */
  idFor(id: string): string;
}

const ID_PREFIX = /^(?:call|chatcmpl|fc|fp|msg|req|resp|rs|toolu)[_-]/;
const WORD = /^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$/;

/** Whether a text can be a protocol's own word, or a model's name. */
export function isWord(text: string): boolean {
  return WORD.test(text);
}

/** As many letters as the text has UTF-16 units, so that parts and their whole stay as long as each other. */
export function filler(text: string): string {
  return text.replaceAll(/\S/g, "x").replaceAll(/\s/g, " ");
}

export function createPlaceholders(): Placeholders {
  const known = new Map<string, string>();
  const used = new Set<string>();
  let count = 0;
  const fresh = (id: string): string => {
    const prefix = ID_PREFIX.exec(id)?.[0] ?? "";
    const room = id.length - prefix.length;
    count += 1;
    const number = count.toString(36);
    return number.length <= room ? `${prefix}${number.padStart(room, "0")}` : number;
  };
  return {
    idFor(id) {
      const before = known.get(id);
      if (before !== undefined || id === "") return before ?? "";
      let made = fresh(id);
      while (used.has(made)) made = fresh(id);
      known.set(id, made);
      used.add(made);
      return made;
    },
  };
}
