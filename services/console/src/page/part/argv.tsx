/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";
import { Visible } from "./visible.tsx";

/** A command as the executor starts it: no shell, so each box is exactly one argument. */
export function Argv({
  argv,
  cwd,
}: {
  readonly argv: readonly string[];
  readonly cwd: string | null;
}): VNode {
  return (
    <div class="command">
      <ol class="argv" aria-label="the program and its arguments, one box each">
        {argv.map((argument) => (
          <li>
            <code>{argument === "" ? <span class="mark">empty</span> : <Visible text={argument} />}</code>
          </li>
        ))}
      </ol>
      <p class="quiet">
        {argv.length} {argv.length === 1 ? "word" : "words"}, started without a shell in{" "}
        {cwd === null ? (
          "the workspace's root"
        ) : (
          <code>
            <Visible text={cwd} />
          </code>
        )}
      </p>
    </div>
  );
}
