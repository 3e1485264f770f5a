import { AirlockError } from "@airlock/core/fault";
import type { ServiceUser } from "../workspace/index.ts";

export interface Identity {
  readonly serviceUser: ServiceUser | null;
  readonly effectiveUid: number;
}

/** Throws CONFIG_INVALID where a model's program would run as root, or as a user that this process can't become. */
export function assertIdentity({ serviceUser, effectiveUid }: Identity): void {
  if (effectiveUid === 0 && (serviceUser === null || serviceUser.uid === 0)) {
    throw new AirlockError("CONFIG_INVALID", "an executor that runs as root needs a service user");
  }
  if (effectiveUid !== 0 && serviceUser !== null) {
    throw new AirlockError("CONFIG_INVALID", "only an executor that runs as root can use a service user");
  }
}
