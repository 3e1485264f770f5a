import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { fencedFiles } from "../../src/workspace/index.ts";
import { treeFixture } from "./fixture.ts";

test("a call that lost its lease between two writes makes only the first, and may still read", async () => {
  const { tree, files } = await treeFixture();
  const answers = [true, false, false];
  const fenced = fencedFiles(files, () => Promise.resolve(answers.shift() ?? false));
  expect(await fenced.writeFile("a", Buffer.from("1"))).toMatchObject({ ok: true });
  expect(await fenced.writeFile("b", Buffer.from("2"))).toMatchObject({
    ok: false,
    errorClass: "CLAIM_LOST",
  });
  expect(await fenced.deleteFile("a")).toMatchObject({ ok: false, errorClass: "CLAIM_LOST" });
  expect(readdirSync(tree)).toEqual(["a"]);
  expect(await fenced.readFile("a", { maxBytes: 10 })).toMatchObject({ ok: true });
});
