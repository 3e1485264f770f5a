/** The unprivileged identity that owns a workspace's tree and runs what the sandbox runs. */
export interface ServiceUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody`'s number: it needs no entry in the password file. */
const NOBODY = 65_534;

/** Root never runs a model's program itself; everybody else already is the service user (`null`). */
export function defaultServiceUser(effectiveUid: number): ServiceUser | null {
  return effectiveUid === 0 ? { uid: NOBODY, gid: NOBODY } : null;
}
