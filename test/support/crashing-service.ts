import { runService } from "@airlock/core/runtime";

// A service that fails in the way that its argument names, each time with an error that quotes a secret.
const [, , how = "", secret = ""] = process.argv;

await runService("validator", () => {
  if (how === "start") JSON.parse(`${secret} is no JSON`);
  const timer = setInterval(() => {
    if (how === "rejection") void Promise.reject(new Error(secret));
    if (how === "exception") throw new RangeError(`${secret}\n    at ${secret} (file.js:1:1)`);
    if (how === "cause") throw new Error("outer", { cause: new Error(secret) });
  }, 300);
  return Promise.resolve({ consumers: [], close: () => Promise.resolve(clearInterval(timer)) });
});
