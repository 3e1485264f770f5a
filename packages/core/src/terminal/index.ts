export { readBufferedResponse, type BufferedBody } from "./buffered.ts";
export {
  createResponseReader,
  type LastEvents,
  type ResponseReader,
  type ResponseReaderOptions,
} from "./reader.ts";
export type { ResponseReading, TerminalItem } from "./reading.ts";
export { createSniffedReader } from "./sniffed.ts";
export type { StopSequence } from "./stop-sequence.ts";
export { TRANSPORT_ENDS, type TransportEnd } from "./transport-ends.ts";
