/** One step into an argument: a member's name or an array's index. */
export type PathStep = string | number;

const MAX_STEPS = 64;
/** `.name`, `[0]`, `['name']` or `["name"]`; a backslash in quotes stands before a quote or a backslash only. */
const STEP = /\.([^.*[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\['"\\])*)'\]|\["((?:[^"\\]|\\['"\\])*)"\]/y;

/** Reads the JSONPath of a partial argument; null for anything but plain steps from the root to one place. */
export function parseJsonPath(path: string): readonly PathStep[] | null {
  if (!path.startsWith("$")) return null;
  const steps: PathStep[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const [found, plain, index, single, double] = STEP.exec(path) ?? [];
    if (found === undefined) return null;
    const quoted = (single ?? double)?.replaceAll(/\\(.)/g, "$1");
    steps.push(index === undefined ? (plain ?? quoted ?? "") : Number(index));
  }
  return steps.length > 0 && steps.length <= MAX_STEPS ? steps : null;
}
