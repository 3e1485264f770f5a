/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface NoticeProps {
  readonly reader: Reader;
  readonly title: string;
  readonly text: string;
  /** paths of ours, by what stands on the link */
  readonly links: Readonly<Record<string, string>>;
}

/** What came of something, where there is no better page to go to. */
export function Notice({ reader, title, text, links }: NoticeProps): VNode {
  return (
    <Layout title={title} reader={reader}>
      <h1>{title}</h1>
      <p class="lead" role="status">
        <Visible text={text} />
      </p>
      <ul>
        {Object.entries(links).map(([name, href]) => (
          <li>
            <a href={href}>{name}</a>
          </li>
        ))}
      </ul>
    </Layout>
  );
}
