/**
 * Programs that run what their arguments say: a rule that permits one would permit anything. Until payloads are
 * unwrapped and judged, no permitting rule may name one.
 */
export const WRAPPERS: ReadonlySet<string> = new Set(
  [
    "env timeout nice ionice nohup setsid stdbuf time xargs parallel watch script expect",
    "sh bash dash zsh ksh fish ash csh tcsh busybox eval exec command builtin source .",
    "sudo doas su runuser chroot unshare nsenter bwrap setpriv flock",
    "ssh docker podman strace ltrace gdb tmux screen at batch crontab npx pnpx bunx corepack",
    "find fd awk gawk mawk nawk sed tar make gmake ed ex",
    "vi vim nvim nano emacs man less more most",
  ].flatMap((line) => line.split(" ")),
);

/** Programs that need a subcommand in the rule, and the subcommands that run a payload. */
export const WRAPPING_SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "git",
    new Set(["bisect", "filter-branch", "rebase", "submodule", "difftool", "mergetool", "config", "alias"]),
  ],
  ["npm", new Set(["exec", "x", "run", "run-script", "explore", "init", "create", "config", "edit"])],
  ["pnpm", new Set(["exec", "dlx", "run", "create", "config"])],
  ["yarn", new Set(["exec", "dlx", "run", "create", "config"])],
]);

/** Flags by which an otherwise harmless program runs or writes what its value says. */
export const WRAPPING_FLAGS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "git",
    new Set([
      "-c",
      "-C",
      "--exec-path",
      "--ext-diff",
      "--textconv",
      "--output",
      "-o",
      "--upload-pack",
      "--receive-pack",
      "--git-dir",
      "--work-tree",
      "--no-index",
    ]),
  ],
  [
    "node",
    new Set([
      "-e",
      "--eval",
      "-p",
      "--print",
      "-r",
      "--require",
      "--import",
      "--loader",
      "--experimental-loader",
      "--env-file",
      "--inspect",
    ]),
  ],
  ["npm", new Set(["--prefix", "--script-shell", "--node-options", "--userconfig", "--globalconfig"])],
  ["rg", new Set(["--pre", "--hostname-bin"])],
  ["sort", new Set(["--compress-program", "-o", "--output"])],
]);
