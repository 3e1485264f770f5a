export { openLeases, type Lease, type Leases } from "./leases.ts";
