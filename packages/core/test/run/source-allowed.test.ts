import { expect, test } from "vitest";
import { sourceAllowed } from "@airlock/core/run";

test.each([
  ["/srv/repos/app", ["/srv/repos"], true],
  ["/srv/repos", ["/srv/repos/"], true],
  ["/srv/repos-evil", ["/srv/repos"], false],
  ["/srv/repos/../secret", ["/srv/repos"], false],
  ["/srv", ["/srv/repos"], false],
  ["repos/app", ["/"], false],
  ["/srv/repos", [], false],
  ["/srv/repos", [""], false],
  ["https://example.org/team/app.git", ["https://example.org/team"], true],
  ["https://example.org.evil/team/app", ["https://example.org"], false],
  ["https://example.org/team/%2e%2e/x", ["https://example.org/team"], false],
  ["https://user@example.org/team", ["https://example.org"], false],
  ["ssh://example.org/team", ["https://example.org"], false],
  ["ext::sh -c x", ["ext::sh -c x", "/"], false],
  ["git://example.org/a", ["git://example.org"], false],
  ["/srv/a\nb", ["/srv"], false],
])("%j with %j allowed: %j", (source, allowed, expected) => {
  expect(sourceAllowed(source, allowed)).toBe(expected);
});
