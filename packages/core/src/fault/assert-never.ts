/** Ends an exhaustive switch: a new variant of the union breaks the build here. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected variant: ${JSON.stringify(value)}`);
}
