import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openPlaces } from "../src/open-places.ts";
import { SERVICE_USER, temporaryDirectory } from "./workspace/fixture.ts";

let root: string;
beforeEach(async () => {
  root = await temporaryDirectory();
  mkdirSync(join(root, "volume"));
  symlinkSync(join(root, "volume"), join(root, "link"));
});

/** Paths below the root; everything fits but what is changed. */
function open(change: Readonly<Record<string, string>>): Promise<void> {
  const given = { volume: "volume", policies: "policies", tools: "tools", writeAhead: "log", ...change };
  const places = Object.fromEntries(
    Object.entries(given).map(([name, at]) => [name, at === "" ? "" : join(root, at)]),
  );
  const { toolchains, ...more } = { toolchains: undefined, ...places };
  const config = { repositories: "", pushCredentials: "", ...more };
  const listed = toolchains === undefined ? [] : [toolchains];
  return openPlaces({ ...config, toolchains: listed } as never, SERVICE_USER);
}

describe("the places of the settings", () => {
  test.each([
    [{}],
    [{ writeAhead: "" }],
    [{ writeAhead: "volume/write-ahead" }],
    [{ policies: "volume-policies" }],
    [{ toolchains: "volume-tools" }],
    [{ volume: "not/there/yet" }],
  ])("%j fit", async (change) => {
    await expect(open(change)).resolves.toBeUndefined();
  });

  test.each([
    [{ policies: "volume/policies" }, /AIRLOCK_POLICIES lies inside AIRLOCK_VOLUME/],
    [{ policies: "link/not/there" }, /AIRLOCK_POLICIES lies inside/],
    [{ tools: "volume" }, /AIRLOCK_TOOLS lies inside/],
    [{ repositories: "volume/run/tree/repositories.yaml" }, /AIRLOCK_REPOSITORIES lies inside/],
    [{ pushCredentials: "link/credentials" }, /AIRLOCK_PUSH_CREDENTIALS lies inside/],
    [{ toolchains: "." }, /AIRLOCK_TOOLCHAINS: .* contains AIRLOCK_VOLUME/],
    [{ toolchains: "link" }, /AIRLOCK_TOOLCHAINS: .* contains AIRLOCK_VOLUME/],
    [{ writeAhead: "volume" }, /AIRLOCK_WRITE_AHEAD is AIRLOCK_VOLUME or contains it/],
    [{ writeAhead: "." }, /AIRLOCK_WRITE_AHEAD is AIRLOCK_VOLUME or contains it/],
    [{ writeAhead: ".", volume: "not/there/yet" }, /AIRLOCK_WRITE_AHEAD is/],
  ])("%j are refused", async (change, words) => {
    await expect(open(change)).rejects.toThrow(words);
  });

  test("include a volume, which the service user passes through; one that there is stays as it is", async () => {
    await open({ volume: "new" });
    const made = statSync(join(root, "new"));
    const expected = SERVICE_USER === null ? [0o700, process.getgid?.()] : [0o710, SERVICE_USER.gid];
    expect([made.mode & 0o777, made.gid]).toEqual(expected);
    chmodSync(join(root, "volume"), 0o751);
    await open({});
    expect(statSync(join(root, "volume")).mode & 0o777).toBe(0o751);
  });
});
