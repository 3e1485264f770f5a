/** Keeps the bytes of one response, up to a limit: beyond it nothing, since a cut recording would tell another story. */
export interface Recorder {
  readonly add: (bytes: Uint8Array) => void;
  readonly bytes: () => Uint8Array | null;
}

const MAX_RECORDING_BYTES = 1024 * 1024;

export function createRecorder(maxBytes = MAX_RECORDING_BYTES): Recorder {
  let chunks: Uint8Array[] = [];
  let total = 0;
  return {
    add: (bytes) => {
      total += bytes.length;
      if (total > maxBytes) chunks = [];
      else chunks.push(Uint8Array.from(bytes)); // the caller may use its memory again
    },
    bytes: () => (total === 0 || total > maxBytes ? null : Buffer.concat(chunks)),
  };
}
