// Writes the demo's streams to fixtures/demo; with --check it writes nothing and fails if a file is not what it makes.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { responsesStream } from "@airlock/replay";
import { STORIES } from "./demo-fixtures/stories.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/demo/", import.meta.url));

const files = new Map(Object.entries(STORIES).map(([name, story]) => [`${name}.sse`, streamOf(name, story)]));

if (process.argv.includes("--check")) await check();
else await Promise.all([...files].map(([file, text]) => writeFile(join(FOLDER, file), text)));

function streamOf(name: string, { items, endAfter }: (typeof STORIES)[string]): string {
  const stream = responsesStream({ id: name, items });
  return endAfter === undefined ? stream : cut(stream, endAfter);
}

/** Cuts after a text that deltas may have torn apart: what counts are the letters of the argument deltas. */
function cut(stream: string, text: string): string {
  let seen = "";
  let length = 0;
  for (const block of stream.split(/(?<=\n\n)/u)) {
    length += block.length;
    const event: { readonly type: string; readonly delta?: string } = JSON.parse(
      block.slice(block.indexOf("data: ") + "data: ".length),
    );
    if (event.type === "response.function_call_arguments.delta") seen += event.delta ?? "";
    // The last event stays without its blank line, and loses its last letters too.
    if (seen.includes(text)) return stream.slice(0, length - '"}\n\n'.length);
  }
  throw new Error(`no stream of arguments holds ${text}`);
}

async function check(): Promise<void> {
  const present = (await readdir(FOLDER)).filter((file) => file.endsWith(".sse"));
  const names = new Set([...files.keys(), ...present]);
  const wrong: string[] = [];
  for (const file of names) {
    const text = present.includes(file) ? await readFile(join(FOLDER, file), "utf8") : null;
    if (text !== files.get(file)) wrong.push(file);
  }
  if (wrong.length === 0) return;
  process.stderr.write(`not what the script makes: ${wrong.join(", ")}\n`);
  process.exitCode = 1;
}
