import { posix } from "node:path";

/**
 * May a run work on this source? Each entry of the operator's list allows itself and what lies below it, compared by
 * components: `/srv/repos` allows `/srv/repos/app`, never `/srv/repos-evil`. The caller passes real paths.
 */
export function sourceAllowed(source: string, allowed: readonly string[]): boolean {
  const wanted = splitSource(source);
  if (wanted === null) return false;
  return allowed.some((entry) => {
    const prefix = splitSource(entry);
    return prefix !== null && prefix.length <= wanted.length && prefix.every((part, i) => part === wanted[i]);
  });
}

const URL_SCHEME = /^(https|ssh):\/\/([^/]+)(\/.*)?$/;

/** The root (`/`, or scheme and authority) and the path's components; null for what no list can allow. */
function splitSource(source: string): readonly string[] | null {
  if (/[\p{Cc}\\?#%]/u.test(source)) return null;
  const url = URL_SCHEME.exec(source);
  if (url === null && !posix.isAbsolute(source)) return null;
  const root = url === null ? "/" : `${url[1]}://${url[2]}`;
  const path = url === null ? source : (url[3] ?? "");
  const components = path.split("/").filter((part) => part !== "" && part !== ".");
  return components.includes("..") ? null : [root, ...components];
}
