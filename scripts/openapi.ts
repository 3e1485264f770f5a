// Writes docs/openapi.json from the HTTP interface's schemas. `pnpm openapi` also makes the client's types from it.
import { writeFileSync } from "node:fs";
import { openApiText } from "@airlock/console";

writeFileSync(new URL("../docs/openapi.json", import.meta.url), await openApiText());
