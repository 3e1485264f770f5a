import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Reads texts that NUL ends. Of each it prints how many commands bash would start, without starting one, then the
 * number of words and the words that bash makes of it. No file lies where it runs, so that nothing can be globbed.
 */
const SCRIPT = String.raw`
cd "$1" || exit 9
shopt -s extdebug
words() { printf '%s\0' "$#" "$@"; }
count() { [ "$BASH_COMMAND" = 'trap - DEBUG' ] || [ "$BASH_COMMAND" = 'eval -- "$t"' ] && return 0; n=$((n + 1)); return 1; }
mapfile -d '' -t texts
for t in "\${texts[@]}"; do
  n=0
  trap count DEBUG
  eval -- "$t"
  trap - DEBUG
  printf '%s\0' "$n"
  eval "words $t"
done 2>/dev/null
`.replaceAll("\\$", "$");

export interface BashReading {
  readonly commands: number;
  readonly words: readonly string[];
}

/** What bash makes of each text; fewer readings than texts when one of them ended the shell. */
export async function readWithBash(
  texts: readonly string[],
  emptyFolder: string,
): Promise<readonly BashReading[]> {
  const child = spawn("bash", ["--norc", "--noprofile", "-c", SCRIPT, "bash", emptyFolder], {
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(texts.map((each) => `${each}\0`).join(""));
  const fields = (await text(child.stdout)).split("\0");
  const readings: BashReading[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const length = Number(fields[at + 1]);
    readings.push({ commands: Number(fields[at]), words: fields.slice(at + 2, at + 2 + length) });
    at += 2 + length;
  }
  return readings;
}
