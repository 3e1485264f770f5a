/** To the thread: hold this lease; let it go. */
export type ToRenewer =
  | {
      readonly type: "hold";
      readonly id: number;
      readonly itemKey: string;
      readonly fence: number;
      readonly leaseMs: number;
      /** under which the call's sandbox is found */
      readonly marker: string;
      /** one BigInt64: when the last renewal that came through was asked for, in ns of the monotonic clock */
      readonly renewedAt: SharedArrayBuffer;
    }
  | { readonly type: "drop"; readonly id: number };

/** From the thread: it takes leases now; a lease is over, and what was found of its sandbox has been killed. */
export type FromRenewer = { readonly type: "ready" } | { readonly type: "lost"; readonly id: number };

export interface RenewerData {
  readonly redisUrl: string;
  /** one Int32 that the main loop adds to while it turns */
  readonly progress: SharedArrayBuffer;
}
