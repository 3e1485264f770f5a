import { policyKeys } from "@airlock/core/policy";
import type { Table } from "./markdown.ts";

/** What each key of a policy file means. A key that the schema has and this table lacks is an error, and vice versa. */
const MEANINGS: Readonly<Record<string, string>> = {
  apiVersion: "`airlock.policy/v1`",
  mode: "`enforce`, or `shadow` in a file `PROFILE.shadow.yaml`",
  "extends[].path": "a file in this folder or below it",
  "extends[].sha256": "of its bytes; write it in quotes",
  "defaults.noMatch": "what no rule names: `forbid`, and nothing else",
  "defaults.unparseable":
    "a command that can't be read for certain or exceeds a limit: `forbid` (default) or `quarantine`",
  "defaults.onAskNonInteractive":
    "a call that needs an approval: `park` it until its time is over (default), or `deny` it at once",
  "defaults.approvalTtl":
    "how long an approval is waited for where its rule doesn't say; never longer than `AIRLOCK_APPROVAL_MS`",
  "defaults.onRepeatEffect":
    "a call whose effect an older one had unseen: `approve` (default), `return_recorded` or `deny`, see below",
  "limits.argsBytes": "UTF-8 bytes of the arguments' canonical form (1048576)",
  "limits.jsonDepth": "nesting of the arguments (64)",
  "limits.commands": "programs that one command starts, wrappers included (20)",
  "limits.wrapperDepth": "wrappers around one program (6)",
  "limits.perRun.turns":
    "turns of a run; the spec's own limit holds where it is smaller, as for the next two",
  "limits.perRun.calls": "calls of a run",
  "limits.perRun.mutating": "calls of a run that are not `read`",
  "paths.read.allow": "globs of what may be read",
  "paths.read.forbid": "globs of what may not, with everything below, in any case",
  "paths.write.allow": "the same for what is written",
  "paths.write.forbid": "the same for what is written",
  "repos[].id": "the end of a source, by components: `acme/api`, or `git.example.org/acme/api`",
  "repos[].branches.allow": "globs of the branches that a run may name as its ref",
  "repos[].branches.forbid": "globs of those that it may not",
  "repos[].requireBaseRevision": "whether a run has to name the commit that it works on (`false`)",
  "rules[].id": "its name in records, results and metrics; unique in the file and in all that it extends",
  "rules[].decision": "`allow`, `flag`, `approve`, `quarantine` or `forbid`",
  "rules[].tool": "exactly one registered tool",
  "rules[].command.exe": "the program, by its name; a rule that stops calls matches any path to it",
  "rules[].command.sub": "the first word after it",
  "rules[].command.flags.allow":
    "every flag that may stand there: `-x`, `--name`, or `--name=` for one with a value",
  "rules[].command.flags.values": "flags with globs of the values that they may have",
  "rules[].command.flags.require": "flags that must stand before the first operand",
  "rules[].command.flags.forbid":
    "flags that must not stand there; of a rule that stops calls, those that it looks for",
  "rules[].command.positionals.max": "how many words that are no flags",
  "rules[].command.positionals.allow": "globs that each of them has to match",
  "rules[].command.environment": "variables that `env` may set or remove",
  "rules[].args": "regular expressions by the names of arguments; each has to match the whole text",
  "rules[].approve.risk": "`low`, `medium` (default) or `high`, shown to approvers",
  "rules[].approve.ttl": "how long this approval is waited for",
  "rules[].approve.quorum": "how many people have to agree (1)",
  "rules[].reason": "told to the model, to approvers and in records",
  "rules[].private": "whether the model may see neither the rule's id nor its reason (`false`)",
  "rules[].match": "examples that the rule has to match; checked at each load",
  "rules[].notMatch": "examples that it may not match, or that the scopes stop",
};

export const POLICY_KEYS: Table = {
  head: ["key", "meaning"],
  rows: policyKeys().map((key) => [`\`${key}\``, meaningOf(key)]),
};

function meaningOf(key: string): string {
  const meaning = MEANINGS[key];
  if (meaning === undefined) throw new Error(`the policy's key ${key} has no meaning here`);
  return meaning;
}

const unknown = Object.keys(MEANINGS).filter((key) => !policyKeys().includes(key));
if (unknown.length > 0) throw new Error(`a policy has no keys ${unknown.join(", ")}`);
