/** One thing that stands in a request's conversation: an item, a message, a content block or a part. */
export interface Entry {
  readonly value: unknown;
  /** Where it stands in the body, as a refusal names it. */
  readonly place: string;
  /** Whether the model wrote it, so that it has to be what a recorded turn answered. */
  readonly byModel: boolean;
}

/** A checked request in the form that all families share: what is needed to choose and count an answer. */
export interface PlayableRequest {
  readonly model: string;
  readonly mode: "stream" | "buffered";
  /** What tells conversations apart besides their entries: instructions and tools, never the output budget. */
  readonly settings: unknown;
  readonly entries: readonly Entry[];
}
