export { sealExpected } from "./expected.ts";
export type { StartLookup } from "./start-lookup.ts";
export { onResolution } from "./on-resolution.ts";
export { ownerName } from "./owner.ts";
export { reconcileCall } from "./reconcile-call.ts";
