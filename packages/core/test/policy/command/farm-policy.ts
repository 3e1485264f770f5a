import { evaluatePolicy, loadPolicy, type PolicyDecision } from "@airlock/core/policy";
import { policyText } from "../policy-text.ts";

/** What a farm of many languages would permit: each program in its harmless forms. */
const RULES = [
  "{ id: git-read, decision: allow, tool: run_command, command: { exe: git, sub: [status, diff, log, show, blame, ls-files, grep, branch], flags: { allow: [--stat, --oneline, --short, --cached, --name-only, -p, --all, --format=, --grep=], values: { -n: ['*'], -S: ['*'] } } } }",
  "{ id: git-write, decision: allow, tool: run_command, command: { exe: git, sub: [add, commit, switch], flags: { allow: [--all, --amend], values: { -m: ['**'] } } } }",
  "{ id: git-push, decision: approve, tool: run_command, command: { exe: git, sub: [push], flags: { allow: [--tags], forbid: [--force, -f, --mirror] } } }",
  "{ id: no-force, decision: forbid, tool: run_command, command: { exe: git, sub: [push], flags: { forbid: [--force, -f, --mirror] } } }",
  "{ id: node-test, decision: allow, tool: run_command, command: { exe: node, flags: { require: [--test], allow: [--test-only, --test-name-pattern=], values: { --test-reporter=: [spec, tap] } } } }",
  "{ id: npm, decision: allow, tool: run_command, command: { exe: npm, sub: [test, ls], flags: { allow: [--silent] }, positionals: { max: 0 } } }",
  "{ id: npm-scripts, decision: allow, tool: run_command, command: { exe: npm, sub: [run], flags: { allow: [--silent] }, positionals: { max: 1, allow: [lint, build] } } }",
  "{ id: npm-exec, decision: allow, tool: run_command, command: { exe: npm, sub: [exec], flags: { allow: [--no] }, positionals: { max: 0 } } }",
  "{ id: pnpm, decision: allow, tool: run_command, command: { exe: pnpm, sub: [test, exec], positionals: { max: 0 } } }",
  "{ id: yarn, decision: allow, tool: run_command, command: { exe: yarn, sub: [run], positionals: { max: 1, allow: [lint] } } }",
  "{ id: eslint, decision: allow, tool: run_command, command: { exe: node_modules/.bin/eslint, flags: { allow: [--quiet] } } }",
  "{ id: python, decision: allow, tool: run_command, command: { exe: python3, flags: { allow: [-q], values: { -m: [pytest] } }, positionals: { allow: ['test/**'] } } }",
  "{ id: pytest, decision: allow, tool: run_command, command: { exe: pytest, flags: { allow: [-q, -x, --maxfail=], values: { -k: ['*'] } } } }",
  "{ id: go, decision: allow, tool: run_command, command: { exe: go, sub: [test, vet, build, list], flags: { allow: [-v, -race, -run=] } } }",
  "{ id: cargo, decision: allow, tool: run_command, command: { exe: cargo, sub: [test, check, build, clippy], flags: { allow: [--release, --all], values: { --package: ['*'] } } } }",
  "{ id: rg, decision: allow, tool: run_command, command: { exe: rg, flags: { allow: [-n, -i, --files], values: { -g: ['**'], -e: ['**'] } } } }",
  "{ id: grep, decision: allow, tool: run_command, command: { exe: grep, flags: { allow: [-r, -n, -i, -rn], values: { -e: ['**'] } } } }",
  "{ id: find, decision: allow, tool: run_command, command: { exe: find, flags: { values: { -name: ['*'], -type: [f, d], -maxdepth: ['*'] } } } }",
  "{ id: sed, decision: allow, tool: run_command, command: { exe: sed, flags: { allow: [-n, -E, -i] } } }",
  "{ id: awk, decision: allow, tool: run_command, command: { exe: awk, flags: { values: { -F: ['*'] } } } }",
  "{ id: tar, decision: allow, tool: run_command, command: { exe: tar, flags: { allow: [-tf, -tvf, --list, --file=] } } }",
  "{ id: sort, decision: allow, tool: run_command, command: { exe: sort, flags: { allow: [-u, -r, -n] } } }",
  "{ id: make, decision: allow, tool: run_command, command: { exe: make, flags: { allow: [-s] }, positionals: { max: 1, allow: [test, lint] } } }",
  "{ id: ls, decision: allow, tool: run_command, command: { exe: ls, flags: { allow: [-l, -a, -la] } } }",
  "{ id: cat, decision: allow, tool: run_command, command: { exe: cat } }",
  "{ id: head, decision: allow, tool: run_command, command: { exe: head, flags: { values: { -n: ['*'] } } } }",
  "{ id: diff, decision: allow, tool: run_command, command: { exe: diff, flags: { allow: [-u] } } }",
  "{ id: man, decision: allow, tool: run_command, command: { exe: man } }",
  "{ id: echo, decision: allow, tool: run_command, command: { exe: echo } }",
  "{ id: tee, decision: allow, tool: run_command, command: { exe: tee, flags: { allow: [-a] } } }",
  "{ id: cp, decision: allow, tool: run_command, command: { exe: cp, flags: { allow: [-r, --target-directory=], values: { -t: ['**'] } } } }",
  "{ id: mv, decision: allow, tool: run_command, command: { exe: mv } }",
  "{ id: dd, decision: allow, tool: run_command, command: { exe: dd } }",
  "{ id: mkdir, decision: allow, tool: run_command, command: { exe: mkdir, flags: { allow: [-p] } } }",
  "{ id: chmod, decision: allow, tool: run_command, command: { exe: chmod } }",
  "{ id: ln, decision: allow, tool: run_command, command: { exe: ln, flags: { allow: [-s] } } }",
  "{ id: env, decision: allow, tool: run_command, command: { exe: env, environment: [CI, NODE_ENV] } }",
  "{ id: timeout, decision: allow, tool: run_command, command: { exe: timeout, flags: { values: { -k: ['*'] } } } }",
  "{ id: nice, decision: allow, tool: run_command, command: { exe: nice, flags: { values: { -n: ['*'] } } } }",
  "{ id: nohup, decision: allow, tool: run_command, command: { exe: nohup } }",
  "{ id: setsid, decision: allow, tool: run_command, command: { exe: setsid, flags: { allow: [-w] } } }",
  "{ id: stdbuf, decision: allow, tool: run_command, command: { exe: stdbuf, flags: { values: { -o: [L] } } } }",
  "{ id: time, decision: allow, tool: run_command, command: { exe: time, flags: { allow: [-p] } } }",
  "{ id: xargs, decision: allow, tool: run_command, command: { exe: xargs, flags: { allow: ['-0'] } } }",
  "{ id: bash, decision: allow, tool: run_command, command: { exe: bash, flags: { allow: [-c, -lc, -ec, --norc] } } }",
  "{ id: sh, decision: flag, tool: run_command, command: { exe: sh, flags: { allow: [-c] } } }",
  "{ id: no-rm, decision: forbid, tool: run_command, command: { exe: rm } }",
];

const SCOPES = [
  "limits: { commands: 6, wrapperDepth: 3 }",
  'paths: { read: { allow: ["**"], forbid: ["**/.git", "**/.env*", "**/*.pem"] }, write: { allow: ["src/**", "test/**"], forbid: ["**/.git", "**/.husky", "**/*.config.*"] } }',
];

const farm = loadPolicy({ name: "farm.yaml", text: policyText(RULES, SCOPES) });

export function decide(argv: readonly string[], cwd?: string, policy = farm): PolicyDecision {
  return evaluatePolicy(policy, {
    tool: "run_command",
    effect: "mutating",
    arguments: cwd === undefined ? { argv } : { argv, cwd },
    claims: { reads: [], writes: [], workspace: "write" },
    place: null,
  });
}

export function outcome(argv: readonly string[], cwd?: string): string {
  const { decision, winning } = decide(argv, cwd);
  return `${decision} by ${winning}`;
}
