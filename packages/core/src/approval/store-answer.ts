// Takes one signed answer to a question that still stands, stores it beside the call; refuses what comes too late, a second
// word of the same person, and any word after a denial or after enough approvals.
import { z } from "zod";
import type { AskBody, ApprovalBody } from "../contract/index.ts";
import {
  eventText,
  LUA_APPEND_EVENTS,
  LUA_NOW,
  runKeys,
  runScript,
  type Redis,
  type Script,
} from "../store/index.ts";
import { approverField } from "./approver-field.ts";

/** `expired`: nobody answered this question in time, as long as the call's record tells of it; `gone`: the call doesn't wait for this question; `conflict`: it has been answered, or this person has. */
export type StoredAnswer =
  | { readonly kind: "stored"; readonly missing: number }
  | { readonly kind: "gone" | "expired" | "conflict" };

/**
 * Two people may answer at once: the first word that decides stands, and the other is told so. Answers to an earlier
 * question about the same call are cleared away.
 *   KEYS 1 approval, 2 call, 3 run, 4 events
 *   ARGV 1 field, 2 record, 3 answer, 4 nonce, 5 expiry, 6 quorum, 7 list of events by how many are missing then
 *   Returns { stored missing | gone | expired | conflict }
 */
const STORE_ANSWER: Script = {
  name: "approval-store",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}
local approval, field, nonce, quorum = KEYS[1], ARGV[1], ARGV[4], tonumber(ARGV[6])
local call = redis.call('HMGET', KEYS[2], 'state', 'nonce', 'settled', 'errorClass')
if call[2] == nonce and call[3] == 'EXPIRED' and call[4] == 'APPROVAL_EXPIRED' then return {'expired'} end
if call[1] ~= 'AWAITING_APPROVAL' or call[2] ~= nonce or call[3] then return {'gone'} end
local run = redis.call('HMGET', KEYS[3], 'endedAt', 'cancelled')
if run[1] or run[2] then return {'gone'} end
if now() >= tonumber(ARGV[5]) then return {'expired'} end
local approvals = 0
local stored = redis.call('HGETALL', approval)
for at = 1, #stored, 2 do
  local ok, body = pcall(function() return cjson.decode(cjson.decode(stored[at + 1])['body']) end)
  if not ok or type(body) ~= 'table' or body['nonce'] ~= nonce then
    redis.call('HDEL', approval, stored[at])
  elseif stored[at] == field or body['answer'] ~= 'approve' then
    return {'conflict'}
  else
    approvals = approvals + 1
  end
end
if approvals >= quorum then return {'conflict'} end
redis.call('HSET', approval, field, ARGV[2])
local missing = 0
if ARGV[3] == 'approve' then missing = quorum - approvals - 1 end
append_events(KEYS[4], cjson.encode({cjson.decode(ARGV[7])[missing + 1]}))
return {'stored', missing}`,
};

const reply = z.tuple([z.enum(["stored", "gone", "expired", "conflict"])], z.number());

/** `answer` is the verified body of `record`, and `ask` the verified question that it is for. */
export async function storeAnswer(
  redis: Redis,
  { ask, answer, record }: { readonly ask: AskBody; readonly answer: ApprovalBody; readonly record: string },
): Promise<StoredAnswer> {
  const { itemKey, run, quorum, nonce, expiresAt } = ask;
  const keys = runKeys(run);
  const told = { type: "approval_answered", itemKey, answer: answer.answer, by: answer.approver } as const;
  const events = eventText(Array.from({ length: quorum }, (_, missing) => ({ ...told, missing })));
  const field = approverField(answer.approver);
  const [kind, missing = 0] = reply.parse(
    await runScript(redis, STORE_ANSWER, {
      keys: [keys.approval(itemKey), keys.call(itemKey), keys.run, keys.events],
      args: [field, record, answer.answer, nonce, expiresAt, quorum, events],
    }),
  );
  return kind === "stored" ? { kind, missing } : { kind };
}

/** Every text that lies beside a call as an answer, by field: nothing of it was checked. */
export function readAnswers(
  redis: Redis,
  itemKey: string,
  run: string,
): Promise<Readonly<Record<string, string>>> {
  return redis.hgetall(runKeys(run).approval(itemKey));
}
