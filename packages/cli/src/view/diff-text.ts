import type { DiffDocument } from "@airlock/operator/document";
import { plainCell } from "./screen.ts";
import { table } from "./table.ts";

type Diff = NonNullable<DiffDocument["diff"]>;

/** One line per file, and the sum. */
export function diffStatText({ files, filesTotal }: Diff): string {
  const rows = files.map(({ path, added, deleted }) => [
    plainCell(path),
    added === null ? "binary" : `+${added}`,
    deleted === null ? "" : `-${deleted}`,
  ]);
  const more = filesTotal - files.length;
  const sum = (key: "added" | "deleted"): number =>
    files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return [
    ...(rows.length === 0 ? [] : [table(["FILE", "ADDED", "DELETED"], rows)]),
    ...(more > 0 ? [`and ${more} more files`] : []),
    `${filesTotal} ${filesTotal === 1 ? "file" : "files"} changed, +${sum("added")} -${sum("deleted")}`,
  ].join("\n");
}

/** What a reader of the diff has to know besides it; none where there is nothing. */
export function diffNotes({ id, diff, why }: DiffDocument): readonly string[] {
  if (diff === null) return [`no diff of ${id}: ${why ?? ""}`];
  const shown = Buffer.byteLength(diff.text);
  const ignored = diff.ignored.map(plainCell).join(", ");
  return [
    ...(diff.filesTotal === 0 ? ["empty: the run changed no file"] : []),
    ...(shown < diff.textBytes ? [`cut: the first ${shown} of ${diff.textBytes} bytes are kept`] : []),
    ...(diff.prepared.length === 0 ? [] : [`not compared, since prepared: ${diff.prepared.join(", ")}`]),
    ...(diff.ignoredTotal === 0
      ? []
      : [`left out by ignore rules: ${ignored}${diff.ignoredTotal > diff.ignored.length ? ", …" : ""}`]),
    ...diff.problems.map((problem) => `not compared: ${plainCell(problem)}`),
    ...(diff.branch === null ? [] : [`committed on branch ${diff.branch}, in commits/ of the pool's volume`]),
  ];
}
