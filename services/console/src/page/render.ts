import { h, type ComponentType } from "preact";
import { renderToString } from "preact-render-to-string";

/** A whole document; every string in it was escaped as text or as an attribute's value. */
export function renderPage<Props extends object>(page: ComponentType<Props>, props: Props): string {
  return `<!doctype html>${renderToString(h(page, props))}`;
}
