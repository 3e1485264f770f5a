import { wordSet } from "./options.ts";
import type { ProgramFacts } from "./program-facts.ts";

const NO_OTHER_MACHINE = /^[^:]*$/;
const GREP: ProgramFacts = { never: wordSet("-f --file") };

/** Programs that read, find, pack and fetch files. */
export const FILE_PROGRAMS: readonly (readonly [string, ProgramFacts])[] = [
  [
    "rg",
    {
      never: wordSet(
        "--pre --pre-glob --hostname-bin --search-zip -z -f --file --ignore-file --hyperlink-format",
      ),
    },
  ],
  ["grep", GREP],
  ["egrep", GREP],
  ["fgrep", GREP],
  [
    "find",
    { never: wordSet("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from") },
  ],
  [
    "sort",
    {
      never: wordSet("--compress-program -o --output -T --temporary-directory --files0-from --random-source"),
    },
  ],
  ["split", { never: wordSet("--filter") }],
  [
    "tar",
    {
      // Listing only: what an archive would write is not known before.
      flagForm: /^(?:-[tvf]*t[tvf]*|-[vf]+|--list|--verbose|--file=[^:]*|--(?:gzip|xz|bzip2|zstd))$/,
      dashFirst: true,
      positionalForm: NO_OTHER_MACHINE,
    },
  ],
  [
    "man",
    {
      never: wordSet(
        "-P --pager -H --html -C --config-file -M --manpath -l --local-file -p --preprocessor -T -X",
      ),
    },
  ],
  [
    "rsync",
    {
      positionalForm: NO_OTHER_MACHINE,
      never: wordSet(
        "-e --rsh --rsync-path --files-from --daemon --config --password-file --log-file --partial-dir --temp-dir",
      ),
    },
  ],
  ["zip", { never: wordSet("-T -TT --test --unzip-command -i -x -@") }],
  [
    "curl",
    {
      never: wordSet(
        "-K --config -o --output -O --remote-name --output-dir -T --upload-file -D --dump-header -c --cookie-jar --proxy -x",
      ),
    },
  ],
  [
    "wget",
    {
      never: wordSet(
        "-O --output-document -o --output-file -P --directory-prefix -i --input-file -e --execute --config --use-askpass --post-file",
      ),
    },
  ],
  ["date", { never: wordSet("-s --set -f --file") }],
  ["xxd", { never: wordSet("-r") }],
];
