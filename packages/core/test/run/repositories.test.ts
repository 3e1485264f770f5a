import { parseRepositories } from "@airlock/core/run";
import { describe, expect, test } from "vitest";

const file = (text: string) => ({ name: "repositories.yaml", text });
const HEAD = "apiVersion: airlock.repositories/v1\nrepositories:\n";

function problems(text: string): string {
  try {
    parseRepositories(file(HEAD + text));
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

describe("the repositories file", () => {
  test("says what holds for a source: the entry that fits it most closely, with its defaults", () => {
    const repositories = parseRepositories(
      file(`${HEAD}
  - { source: /srv }
  - { source: /srv/repos/app/, commit: true, quota: { files: 10 } }
  - source: https://git.example.org/team
    credentials: { kind: token, file: /etc/airlock/token }
    prepare: { command: [npm, ci], lockfiles: [package-lock.json], folders: [node_modules] }
`),
    );
    expect(repositories("/srv/other")).toMatchObject({ commit: false, quota: { files: 500_000 } });
    expect(repositories("/srv/repos/app/sub")).toMatchObject({
      commit: true,
      quota: { files: 10, bytes: 10 * 2 ** 30 },
    });
    expect(repositories("/srv/repos/app-evil")).toMatchObject({ source: "/srv" });
    expect(repositories("https://git.example.org/team/app")).toMatchObject({
      credentials: { kind: "token", user: "x-access-token" },
      prepare: { timeoutMs: 600_000 },
    });
    expect(repositories("https://git.example.org/teams")).toBeNull();
  });

  test.each([
    ["an unknown key", "  - source: /a\n    prepair: {}", 'repositories.yaml:4:5: unknown key "prepair"'],
    [
      "a nested one",
      "  - source: /a\n    quota:\n      size: 1",
      'repositories.yaml:5:7: unknown key "size"',
    ],
    [
      "a missing one",
      "  - commit: true",
      'repositories.yaml:3:5: the key "repositories.0.source" is missing',
    ],
    [
      "a relative source",
      "  - source: repos/app",
      "repositories.yaml:3:5: source: it has to be an absolute path",
    ],
    [
      "a source twice",
      "  - source: /a\n  - source: /a/",
      "repositories.yaml:4:5: source: /a/ stands here twice",
    ],
    [
      "a token for a path",
      "  - source: /a\n    credentials: { kind: token, file: /t }",
      "repositories.yaml:4:5: credentials: token goes with a source that begins with https://",
    ],
    [
      "a key file whose name would need quoting",
      "  - source: ssh://h/a\n    credentials: { kind: ssh_key, file: /k ey, knownHosts: /k }",
      "repositories.yaml:4:35: repositories.0.credentials.file: an absolute path",
    ],
    [
      "a folder that climbs",
      "  - source: /a\n    prepare: { command: [x], lockfiles: [l], folders: [a/../b] }",
      "a path below the repository's root",
    ],
    [
      "a folder inside another",
      "  - source: /a\n    prepare: { command: [x], lockfiles: [l], folders: [a, a/b] }",
      "prepare.folders: one lies in another",
    ],
    [
      "the git folder",
      "  - source: /a\n    prepare: { command: [x], lockfiles: [l], folders: [sub/.git] }",
      ".git is nobody's to prepare",
    ],
  ])("names %s, and where it stands", (_, text, expected) => {
    expect(problems(text)).toContain(expected);
  });
});
