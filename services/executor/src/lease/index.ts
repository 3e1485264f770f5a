export { openLeases, type Claim, type Lease, type Leases } from "./leases.ts";
