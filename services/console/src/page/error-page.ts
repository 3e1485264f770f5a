/** A page for what went wrong; both parts come from a table of ours. */
export function errorPage({ status, title }: { readonly status: number; readonly title: string }): string {
  return `<!doctype html><title>Airlock</title><h1>${status}</h1><p>${title}</p>`;
}
