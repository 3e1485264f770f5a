export { sealExpected } from "./expected.ts";
export { onResolution } from "./on-resolution.ts";
export { ownerName } from "./owner.ts";
export { reconcileCall } from "./reconcile-call.ts";
