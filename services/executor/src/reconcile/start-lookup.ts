/**
 * Whether the write-ahead logs that this executor holds (its own, and those that it adopted) say that an executor started a
 * call under a fence. False is proof that nothing ran; null: none of them is the owner's.
 */
export type StartLookup = (itemKey: string, fence: number, owner: string) => boolean | null;
