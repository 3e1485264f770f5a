import { defineConfig } from "vitest/config";

const conditions = ["source", "node", "import", "module", "default"];
const source = { ssr: { resolve: { conditions } } };

export default defineConfig({
  ...source,
  test: {
    // One file may wait for its processes while another one computes. Left to itself, Vitest gives two cores one worker.
    maxWorkers: 2,
    projects: [
      {
        ...source,
        test: {
          name: "unit",
          include: [
            "packages/*/test/**/*.test.ts",
            "services/*/test/**/*.test.ts",
            "test/architecture/**/*.test.ts",
          ],
          testTimeout: 30_000,
          // files share what they import: it is pure, and loading it costs more than most tests
          isolate: false,
        },
      },
      {
        ...source,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...source,
        // what runs before the tests is resolved by these
        resolve: { conditions },
        test: {
          name: "escape",
          include: ["test/escape/**/*.test.ts"],
          globalSetup: ["test/escape/global-setup.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        ...source,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        ...source,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/crash/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
