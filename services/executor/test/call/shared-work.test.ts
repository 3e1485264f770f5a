import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createSharedWork } from "../../src/call/shared-work.ts";

/** Work that ends when it is aborted, or with the number of its start when it is told to. */
function work() {
  const started: { readonly signal: AbortSignal; readonly finish: () => void }[] = [];
  return {
    started,
    begin: (signal: AbortSignal) => {
      const number = started.length;
      return new Promise<number>((resolve, reject) => {
        started.push({ signal, finish: () => resolve(number) });
        void once(signal, "abort").then(() => reject(new Error("stopped")));
      });
    },
  };
}

describe("shared work", () => {
  const never = new AbortController().signal;

  test("is done once for those who ask meanwhile, and anew for who asks after it", async () => {
    const [share, { started, begin }] = [createSharedWork<number>(), work()];
    const asked = [share("a", never, begin), share("a", never, begin), share("b", never, begin)];
    for (const { finish } of started) finish();
    expect(await Promise.all(asked)).toEqual([0, 0, 1]);
    const again = share("a", never, begin);
    started[2]?.finish();
    expect(await again).toBe(2);
  });

  test("goes on while one still waits, and is aborted with the last, who sees its end", async () => {
    const [share, { started, begin }] = [createSharedWork<number>(), work()];
    const [first, last] = [new AbortController(), new AbortController()];
    const asked = [first, last].map(({ signal }) => share("a", signal, begin));
    first.abort("cancelled");
    await expect(asked[0]).rejects.toMatchObject({ cause: "cancelled" });
    expect(started.map(({ signal }) => signal.aborted)).toEqual([false]);
    last.abort("cancelled");
    const anew = share("a", never, begin);
    await expect(asked[1]).rejects.toThrow("stopped");
    expect(started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    started[1]?.finish();
    expect(await anew).toBe(1);
  });

  test("doesn't begin for who is cancelled already", async () => {
    const [share, { started, begin }] = [createSharedWork<number>(), work()];
    await expect(share("a", AbortSignal.abort(), begin)).rejects.toThrow("aborted");
    expect(started).toEqual([]);
  });
});
