/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";
import { Layout } from "./layout.tsx";
import { Visible } from "./part/visible.tsx";
import { renderPage } from "./render.ts";

interface ErrorProps {
  readonly status: number;
  readonly title: string;
}

/** A page for what went wrong. */
export function errorPage(props: ErrorProps): string {
  return renderPage(Failure, props);
}

function Failure({ status, title }: ErrorProps): VNode {
  return (
    <Layout title={String(status)} reader={null}>
      <section class="failure">
        <p class="status">{status}</p>
        <h1>
          <Visible text={title} />
        </h1>
        <p>
          <a href="/runs">To the runs</a>
        </p>
      </section>
    </Layout>
  );
}
