import type { Keyring } from "@airlock/core/record";
import type { Redis } from "@airlock/core/store";

/** What reading takes: the connection, and the keys that open what lies there. */
export interface Access {
  readonly redis: Redis;
  readonly keyring: Keyring;
}

/** Who acts goes into every order, and from there into the audit. */
export interface ActingAccess extends Access {
  readonly by: string;
}
