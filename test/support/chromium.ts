import { existsSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser } from "playwright-core";

const PLACES = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .map((folder) => path.join(folder, "chromium"));

/** The distribution's own browser: nothing is downloaded. As root it can't have its sandbox. */
export async function launchChromium(): Promise<Browser> {
  const chosen = process.env["AIRLOCK_CHROMIUM"];
  const executablePath = (chosen === undefined ? PLACES : [chosen]).find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error(
      "Chromium is missing: run the README's second command, which installs it where it may, or install the package " +
        "`chromium`; AIRLOCK_CHROMIUM names one in another place",
    );
  }
  const root = process.geteuid?.() === 0;
  return chromium.launch({ executablePath, chromiumSandbox: !root, args: root ? ["--no-sandbox"] : [] });
}
