/** HEAD, a commit before it, or a commit's id: nothing that git could take for a flag, a range or a path. */
export const REVISION = /^(?:HEAD(?:~[0-9]{1,4})?|[0-9a-f]{7,64})$/;

/** A whole commit id. */
export const COMMIT = /^[0-9a-f]{40,64}$/;
