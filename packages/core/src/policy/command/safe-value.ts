const NAME = String.raw`\p{L}\p{M}\p{N}_.+\-`;

/** An absolute or a home path, or a climbing one, wherever in the word a path may begin. */
const LEAVES = new RegExp(`(?:^|[^${NAME}~/])[/~]|(?:^|[^${NAME}])\\.\\.(?:$|[^${NAME}])`, "u");

/** A scheme that carries its content with it, or makes a program reach elsewhere. */
const SCHEME = /(?:^|=)(?:(?:data|file|javascript|blob):|(?:ext|fd)::)/i;

/** A value that is no flag and stays inside the workspace, whichever part of it is read as a path. */
export function isSafeValue(word: string): boolean {
  if (word === "" || word.startsWith("-")) return false;
  // Most words hold none of these characters, which is far cheaper to see.
  const couldLeave = word.includes("/") || word.includes("~") || word.includes("..");
  return !(couldLeave && LEAVES.test(word)) && !(word.includes(":") && SCHEME.test(word));
}
