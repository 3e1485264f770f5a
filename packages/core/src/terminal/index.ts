export { createResponseReader, type ResponseReader, type ResponseReaderOptions } from "./reader.ts";
export type { ResponseReading, TerminalItem } from "./reading.ts";
export { TRANSPORT_ENDS, type TransportEnd } from "./transport-ends.ts";
