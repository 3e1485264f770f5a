/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";

interface NextPageProps {
  readonly path: string;
  /** what else stands in the address */
  readonly query?: Readonly<Record<string, string>>;
  /** null at the end of the list */
  readonly cursor: string | null;
  readonly text: string;
}

export function NextPage({ path, query = {}, cursor, text }: NextPageProps): VNode | null {
  if (cursor === null) return null;
  const next = new URLSearchParams({ ...query, cursor });
  return (
    <p class="pages">
      <a href={`${path}?${next.toString()}`} rel="next">
        {text}
      </a>
    </p>
  );
}
