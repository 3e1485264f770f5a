/**
 * How a repository's own settings make git run a program, each as bash that plants it in the repository of the current
 * folder. PROGRAM stands for the program: it leaves a marker behind when it runs. Each row is one line a vector.
 */
export const GIT_VECTORS = {
  "core.fsmonitor": "git config core.fsmonitor PROGRAM",
  "core.hooksPath": "mkdir h; for h in HOOKS; do cp PROGRAM h/$h; done; git config core.hooksPath $PWD/h",
  "hooks in the git dir": "mkdir -p .git/hooks; for h in HOOKS; do cp PROGRAM .git/hooks/$h; done",
  "post-index-change on status": "mkdir -p .git/hooks; cp PROGRAM .git/hooks/post-index-change; touch f",
  "filter clean": "echo '* filter=x' > .gitattributes; git config filter.x.clean PROGRAM",
  "filter smudge": "echo '* filter=x' > .gitattributes; git config filter.x.smudge PROGRAM; rm -f f",
  "filter process": "echo '* filter=x' > .gitattributes; git config filter.x.process PROGRAM",
  "required filter":
    "echo '* filter=x' > .gitattributes; git config filter.x.clean PROGRAM; git config filter.x.required true",
  "attributes of the git dir":
    "mkdir -p .git/info; echo '* filter=x' > .git/info/attributes; git config filter.x.clean PROGRAM",
  "core.attributesFile":
    "echo '* filter=x' > a; git config core.attributesFile $PWD/a; git config filter.x.clean PROGRAM",
  "diff.external": "git config diff.external PROGRAM",
  textconv: "echo '* diff=x' > .gitattributes; git config diff.x.textconv PROGRAM",
  "diff driver": "echo '* diff=x' > .gitattributes; git config diff.x.command PROGRAM",
  "merge driver": "echo '* merge=x' > .gitattributes; git config merge.x.driver PROGRAM",
  "alias of a command": "for a in st status log diff; do git config alias.$a '!PROGRAM'; done",
  "core.pager": "git config core.pager PROGRAM; git config pager.log PROGRAM; git config pager.status true",
  "core.editor": "git config core.editor PROGRAM; git config sequence.editor PROGRAM",
  "gpg.program":
    "git config gpg.program PROGRAM; git config commit.gpgSign true; git config log.showSignature true",
  "gpg.ssh.program":
    "git config gpg.format ssh; git config gpg.ssh.program PROGRAM; git config commit.gpgSign true; git config user.signingKey x",
  "core.sshCommand":
    "git config core.sshCommand PROGRAM; git config remote.origin.url ssh://localhost/x; git config remote.origin.promisor true",
  "credential.helper": "git config credential.helper '!PROGRAM'",
  "core.askPass": "git config core.askPass PROGRAM",
  "include.path": "printf '[core]\\n\\tfsmonitor = PROGRAM\\n' > i; git config include.path $PWD/i",
  includeIf: "printf '[core]\\n\\tfsmonitor = PROGRAM\\n' > i; git config includeIf.gitdir:/.path $PWD/i",
  "a `.git` file that leads elsewhere":
    "mkdir evil; mv .git evil/dir; echo 'gitdir: evil/dir' > .git; git config core.fsmonitor PROGRAM",
  "an embedded bare repository":
    "git init -q --bare b; git --git-dir=b config core.fsmonitor PROGRAM; git --git-dir=b config core.worktree ..",
  "a nested repository": "git init -q n; git -C n config core.fsmonitor PROGRAM; touch n/f",
  difftool: "git config diff.tool x; git config difftool.x.cmd PROGRAM; git config difftool.prompt false",
} as const satisfies Record<string, string>;

export const HOOKS =
  "pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-index-change reference-transaction pre-auto-gc fsmonitor-watchman";

/** What is asked of a run's repository, with its own git dir; each writes nothing but its answer. */
export const GIT_OPERATIONS = [
  "status",
  "diff",
  "log -p -1",
  "log --show-signature -1",
  "add -A",
  "commit --allow-empty -m x",
  "checkout -- .",
  "stash",
] as const;
