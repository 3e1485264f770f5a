export { sha256Hex } from "./digest.ts";
export {
  attemptKey,
  LAST_ITEM_ORDINAL,
  isRunId,
  itemKey,
  newRunId,
  OWN_ORDINALS,
  ownCallKey,
  ownCallOf,
  parseAttemptKey,
  parseItemKey,
  responseKey,
  turnKey,
  parseTurnKey,
  type AttemptParts,
  type ItemParts,
  type OwnCall,
  type TurnParts,
} from "./ids.ts";
export {
  createApproverKey,
  createKeyrings,
  parseKeyring,
  ROLES,
  SEALS,
  type Keyring,
  type Role,
  type SealName,
  type TrustedKey,
} from "./keyring.ts";
export {
  KEY_NAMES,
  listKeys,
  revokeKey,
  rotateKeys,
  type KeyName,
  type KeySet,
  type ListedKey,
  type Rotated,
} from "./rotation.ts";
export { openSealed, sealBody, type SealPlace } from "./seal.ts";
export {
  PURPOSES,
  signersOf,
  signedRecordSchema,
  signRecord,
  verifyRecord,
  verifySigned,
  type Purpose,
  type SignedRecord,
} from "./sign.ts";
