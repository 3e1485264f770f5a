import { wordSet } from "./options.ts";
import type { ProgramFacts } from "./program-facts.ts";

const NO_WORDS_FROM_FILE = /^[^@]/;

const COMPILER: ProgramFacts = {
  never: wordSet("-B -wrapper -specs -fplugin -o -x -T -Wl -Xlinker"),
  positionalForm: NO_WORDS_FROM_FILE,
};
const MAKE: ProgramFacts = {
  never: wordSet("-f --file --makefile -C --directory -I --include-dir --eval -E -e --environment-overrides"),
  runsNamed: true,
};
const PYTHON: ProgramFacts = { never: wordSet("-c -i -x -X"), listed: wordSet("-m"), runsFiles: true };

const NODE: ProgramFacts = {
  never: wordSet(
    "-e --eval -p --print -pe -r --require --import --loader --experimental-loader --env-file --env-file-if-exists --run " +
      "-i --interactive --inspect --inspect-brk --inspect-wait --inspect-port -C --conditions --experimental-config-file " +
      "--experimental-default-config-file --openssl-config --build-snapshot --build-snapshot-config --snapshot-blob " +
      "--build-sea --experimental-sea-config --icu-data-dir --test-global-setup --test-reporter-destination --cpu-prof-dir " +
      "--heap-prof-dir --diagnostic-dir --report-dir --report-directory --report-filename --redirect-warnings " +
      "--trace-event-file-pattern --tls-keylog --localstorage-file --logfile --experimental-policy --input-type",
  ),
  listed: wordSet("--test-reporter"),
  runsFiles: true,
};

/** Version control, package managers, build tools, languages, compilers. */
export const DEVELOPING_PROGRAMS: readonly (readonly [string, ProgramFacts])[] = [
  [
    "git",
    {
      // Only git's own: an alias of the repository can't take their place. None that runs a command or an editor's.
      subs: wordSet(
        "add am annotate apply archive blame branch bundle cat-file check-ignore checkout cherry cherry-pick clean clone commit " +
          "count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object " +
          "init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff read-tree reflog " +
          "remote reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref stash status switch " +
          "symbolic-ref tag update-index update-ref verify-commit verify-tag version whatchanged worktree write-tree",
      ),
      never: wordSet(
        "-c -C --config --config-env --exec-path --exec -x --ext-diff --textconv --filters --output -o -O " +
          "--open-files-in-pager --upload-pack --receive-pack --git-dir --work-tree --namespace --no-index --template " +
          "--separate-git-dir --remote --unsafe-paths --directory --contents --paginate --edit --gpg-sign --trailer " +
          "--recurse-submodules --reference --output-directory",
      ),
    },
  ],
  [
    "npm",
    {
      subs: wordSet(
        "audit ci dedupe exec explain info install list ls outdated pack prune root run run-script test version view why",
      ),
      never: wordSet(
        "--prefix -C --script-shell --shell --node-options --userconfig --globalconfig --call -c --package -p --registry --cache " +
          "--global -g --location --git --editor --viewer --init-module --node-gyp --python --pack-destination --yes -y",
      ),
      runsNamed: wordSet("run run-script"),
    },
  ],
  [
    "pnpm",
    {
      subs: wordSet("audit exec install list ls outdated run test why"),
      never: wordSet(
        "--dir -C --prefix --shell-mode -c --script-shell --shell-emulator --node-options --use-node-version --global -g " +
          "--pnpmfile --global-pnpmfile --registry --store-dir --config",
      ),
      runsNamed: wordSet("run"),
    },
  ],
  [
    "yarn",
    {
      // Whatever it is asked, yarn first runs what .yarnrc.yml names: only where the repository's code runs anyway.
      subs: wordSet("install run test"),
      never: wordSet("--cwd --use-yarnrc --modules-folder --script-shell --registry --rc-filename"),
      runsNamed: wordSet("run"),
    },
  ],
  ["npx", {}],
  ["make", MAKE],
  ["gmake", MAKE],
  [
    "just",
    {
      never: wordSet("-f --justfile -d --working-directory --shell --shell-arg -c --command --set"),
      runsNamed: true,
    },
  ],
  [
    "rake",
    {
      never: wordSet("-f --rakefile -e --execute -E --execute-continue -p -r --require -I --libdir -R"),
      runsNamed: true,
    },
  ],
  [
    "mvn",
    {
      never: wordSet("-f --file -s --settings -gs --global-settings -t --toolchains -D --define"),
      runsNamed: true,
    },
  ],
  [
    "gradle",
    {
      never: wordSet("-b --build-file -I --init-script -p --project-dir -c --settings-file -g -D -P"),
      runsNamed: true,
    },
  ],
  ["node", NODE],
  ["nodejs", NODE],
  ["tsx", NODE],
  ["ts-node", NODE],
  ["python", PYTHON],
  ["python3", PYTHON],
  ["perl", { never: wordSet("-e -E -M -m -I -n -p -i -x -s -S -d -F -C"), runsFiles: true }],
  [
    "ruby",
    { never: wordSet("-e -r --require -I -n -p -i -x -s -S -C -a -F --disable --enable"), runsFiles: true },
  ],
  [
    "php",
    { never: wordSet("-r --run -R -B -E -F -a -d -c -z -S -t -f -H --define --server"), runsFiles: true },
  ],
  [
    "pytest",
    {
      never: wordSet(
        "-p -c --config-file --rootdir --confcutdir -o --override-ini --pdb --pdbcls --basetemp --junitxml --junit-xml --html " +
          "--debug --log-file --pastebin --cov-config --pyargs --import-mode",
      ),
    },
  ],
  [
    "go",
    {
      subs: wordSet("build doc fmt list test version vet"),
      never: wordSet(
        "-exec -toolexec -vettool -o -C -modfile -modcacherw -overlay -pkgdir -pgo -gcflags -ldflags -asmflags -gccgoflags " +
          "-compiler -c -outputdir -cpuprofile -memprofile -blockprofile -mutexprofile -coverprofile -trace -work -workfile -exec -mod",
      ),
    },
  ],
  [
    "cargo",
    {
      subs: wordSet("bench build check clippy doc fmt metadata test tree version"),
      never: wordSet(
        "--config -Z -C --target-dir --artifact-dir --out-dir --manifest-path --lockfile-path --fix --explain",
      ),
    },
  ],
  ["cc", COMPILER],
  ["gcc", COMPILER],
  ["g++", COMPILER],
  ["c++", COMPILER],
  ["clang", COMPILER],
  ["clang++", COMPILER],
  [
    "javac",
    {
      never: wordSet("-J -processor -processorpath --processor-path -d -s -h"),
      positionalForm: NO_WORDS_FROM_FILE,
    },
  ],
];
