import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSpecFile, readSpecTemplate, specFromText } from "../../src/spec/index.ts";

const SPEC = { route: "gateway", model: "m", instructions: "i", input: "do", policy: "p" };

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "airlock-spec-")));
  mkdirSync(path.join(folder, "repo"));
  symlinkSync("repo", path.join(folder, "link"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("a spec file", () => {
  test("is YAML, or JSON indented with anything", () => {
    const yaml = put("a.yaml", "route: gateway\nmodel: m\ninstructions: i\ninput: do\npolicy: p\n");
    const tabs = put("b.json", JSON.stringify(SPEC, null, "\t"));
    expect(readSpecFile(yaml, "/")).toMatchObject(SPEC);
    expect(readSpecFile(tabs, "/")).toEqual(readSpecFile(yaml, "/"));
  });

  test.each(["repo", "./repo", "link", "../$/repo"])(
    "names its workspace from its own folder: %s",
    (source) => {
      const text = JSON.stringify({
        ...SPEC,
        workspace: { source: source.replace("$", path.basename(folder)), ref: "main" },
      });
      const spec = readSpecFile(put("c.json", text), "/");
      expect(spec.workspace).toEqual({ source: path.join(folder, "repo"), ref: "main" });
    },
  );

  test("may name a URL, which stays as it is", () => {
    const source = "https://example.org/a/../b.git";
    const text = JSON.stringify({ ...SPEC, workspace: { source, ref: "main" } });
    expect(specFromText(text, { file: "x", folder }).workspace?.source).toBe(source);
  });

  test("is refused with every bad key at once, and its own name", () => {
    const file = put("d.yaml", "route: gateway\nmodell: m\ninput: 3\nlimits: { turns: 0 }\n");
    expect(() => readSpecFile(file, "/")).toThrow(
      expect.objectContaining({
        code: "SPEC_INVALID",
        message: expect.stringMatching(/d\.yaml[^]*model:[^]*input:[^]*policy:[^]*limits\.turns:[^]*modell/),
      }),
    );
  });

  test.each([
    ["is no YAML", "route: [\n", /e\.yaml: .* at line 2/],
    ["names a key twice", "route: a\nroute: b\n", /e\.yaml: .*unique/],
  ])("that %s is refused with its line", (_, text, message) => {
    const file = put("e.yaml", text);
    expect(() => readSpecFile(file, "/")).toThrow(message);
  });

  test("that isn't there is refused by its name", () => {
    expect(() => readSpecFile("nope.yaml", folder)).toThrow(`${folder}/nope.yaml can't be read (ENOENT)`);
  });

  test("whose workspace isn't there is refused by its key", () => {
    const file = put("f.json", JSON.stringify({ ...SPEC, workspace: { source: "nope", ref: "main" } }));
    expect(() => readSpecFile(file, "/")).toThrow(
      /f\.json\n {2}workspace\.source: there is nothing at .*nope/,
    );
  });

  test("as a template gets its workspace from outside", () => {
    const file = put("g.json", JSON.stringify({ ...SPEC, workspace: { source: "<filled>", ref: "main" } }));
    expect(readSpecTemplate(file, path.join(folder, "repo")).workspace?.source).toBe(
      path.join(folder, "repo"),
    );
  });
});
