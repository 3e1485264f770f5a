import { expect, test } from "vitest";
import { readConfig } from "@airlock/replay/config";

test("the folder is enough", () => {
  expect(readConfig({ AIRLOCK_GATEWAY_DIRECTORY: "fixtures", PATH: "/bin" })).toEqual({
    directory: "fixtures",
    host: "127.0.0.1",
    port: 0,
    misbehave: {},
  });
});

test("every variable counts", () => {
  expect(
    readConfig({
      AIRLOCK_GATEWAY_DIRECTORY: "f",
      AIRLOCK_GATEWAY_HOST: "0.0.0.0",
      AIRLOCK_GATEWAY_PORT: "8080",
      AIRLOCK_GATEWAY_MISBEHAVE: '{"chunkBytes":7,"delayMs":1}',
    }),
  ).toEqual({ directory: "f", host: "0.0.0.0", port: 8080, misbehave: { chunkBytes: 7, delayMs: 1 } });
});

test("every bad variable is named at once", () => {
  const environment = {
    AIRLOCK_GATEWAY_PORT: "http",
    AIRLOCK_GATEWAY_MISBEHAVE: '{"chunkBytes":0}',
    AIRLOCK_GATEWAY_FOLDER: "fixtures",
  };
  const read = (): unknown => readConfig(environment);
  for (const name of ["DIRECTORY", "PORT", "MISBEHAVE.chunkBytes", "FOLDER is not a variable"]) {
    expect(read).toThrow(`AIRLOCK_GATEWAY_${name}`);
  }
});
