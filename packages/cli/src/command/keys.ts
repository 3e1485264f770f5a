// A folder in, its keyrings made, listed, or taken one step of a rotation further; refuses a set that is not whole. It works
// on files alone, so it needs neither Redis nor services.
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { KEY_NAMES, listKeys, revokeKey, rotateKeys, type KeyName } from "@airlock/core/record";
import { cliConfig } from "../config.ts";
import { ensureKeySet, keyFilesApart, keyFilesIn, readKeySet, writeKeySet } from "../keys/index.ts";
import { dataPaths } from "../local/index.ts";
import { dataFolder } from "../session/index.ts";
import { keyListText, rotatedText } from "../view/index.ts";
import { JSON_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";
import { refuseRemote } from "./with-session.ts";

const PLACE = { name: "DIR", required: false } as const;
const WHERE =
  "DIR is that of `airlock keys create`; left out, it is that of `airlock up` (AIRLOCK_DATA, .airlock).";

export const keysCreateCommand: Command = {
  summary: "makes the keys of services that run apart: DIR/<role>/<role>.json",
  details: "Keys that exist are kept. `airlock up` makes its own and doesn't need this.",
  positional: { name: "DIR", required: true },
  flags: {},
  run(call, context) {
    const folder = path.resolve(context.folder, call.positional ?? "");
    const made = ensureKeySet(keyFilesApart(folder));
    context.out.print(made ? `keys made in ${folder}` : `${folder} has its keys already`);
    return Promise.resolve(0);
  },
};

export const keysListCommand: Command = {
  summary: "lists the ids of all keys, and which are in use",
  details: WHERE,
  positional: PLACE,
  flags: { json: JSON_FLAG },
  run(call, context) {
    const keys = listKeys(readKeySet(keyFilesIn(folderOf(call, context))));
    context.out.print(call.on("json") ? JSON.stringify(keys) : keyListText(keys));
    return Promise.resolve(0);
  },
};

export const keysRotateCommand: Command = {
  summary: "takes keys one step further: first all get to know the next ones, then these are used",
  details:
    `${WHERE}\nRun it, give each service its file and restart it; then the same again. ` +
    "What was signed or sealed before stays good until `airlock keys revoke`, so nothing under way is lost.",
  positional: PLACE,
  flags: { only: { value: "A,B", doc: `of these alone: ${KEY_NAMES.join(", ")} (all)` }, json: JSON_FLAG },
  run(call, context) {
    const file = keyFilesIn(folderOf(call, context));
    const rotated = rotateKeys(readKeySet(file), namesOf(call.text("only")));
    writeKeySet(file, rotated.set);
    const { step, names } = rotated;
    context.out.print(call.on("json") ? JSON.stringify({ step, names }) : rotatedText(rotated));
    return Promise.resolve(0);
  },
};

export const keysRevokeCommand: Command = {
  summary: "takes a key that is not in use from every keyring: what it signed or sealed counts no more",
  details:
    `${WHERE}\nOpen runs, stored conversations and results need the keys of their time: wait for the retention, ` +
    "unless the key is in wrong hands. After a validator's key, play `airlock contract` for each route again. " +
    "It takes effect in each service once that has its file and was restarted.",
  positional: PLACE,
  flags: { key: { value: "KEY", doc: "its id, as `airlock keys list` shows it" } },
  run(call, context) {
    const key = call.text("key");
    if (key === undefined)
      throw new AirlockError("USAGE", "--key names the key; `airlock keys list` shows them");
    const file = keyFilesIn(folderOf(call, context));
    writeKeySet(file, revokeKey(readKeySet(file), key));
    context.out.print(
      `${key} is revoked. Give every service its file and restart them, one after the other.`,
    );
    return Promise.resolve(0);
  },
};

function folderOf({ positional }: CommandCall, context: CommandContext): string {
  if (positional !== undefined) return path.resolve(context.folder, positional);
  refuseRemote(context);
  return dataPaths(dataFolder(context.folder, cliConfig(context.environment), undefined)).keys;
}

function namesOf(only: string | undefined): readonly KeyName[] {
  if (only === undefined) return KEY_NAMES;
  const asked = new Set(only.split(","));
  const names = KEY_NAMES.filter((name) => asked.has(name));
  if (names.length === asked.size) return names;
  const unknown = [...asked].filter((word) => !KEY_NAMES.some((name) => name === word));
  throw new AirlockError("USAGE", `--only ${unknown.join(",")}: there are ${KEY_NAMES.join(", ")}`);
}
