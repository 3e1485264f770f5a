import { rememberPieces } from "@airlock/core/run";
import { beforeEach, expect, test } from "vitest";

let opened: string[];
beforeEach(() => {
  opened = [];
});

function opening(maxLetters: number): (place: string, piece: string) => unknown {
  const opener = rememberPieces(maxLetters);
  return (place, piece) =>
    opener(place, piece, () => {
      opened.push(piece);
      return [{ type: "user", text: piece }];
    });
}

test("a piece is opened once for its place and text, and again where either is another", () => {
  const open = opening(100);
  expect(open("1.in", "hello")).toEqual(open("1.in", "hello"));
  expect(open("1.in", "edited")).toEqual([{ type: "user", text: "edited" }]);
  open("1.out", "edited");
  expect(opened).toEqual(["hello", "edited", "edited"]);
});

test("a piece that can't be opened is not remembered", () => {
  const opener = rememberPieces(100);
  const refuse = (): never => {
    throw new Error("edited");
  };
  expect(() => opener("1.in", "x", refuse)).toThrow("edited");
  expect(() => opener("1.in", "x", refuse)).toThrow("edited");
});

test("the oldest go first where all would be more than may be remembered", () => {
  const open = opening(10);
  for (const place of ["a", "b", "c"]) open(place, `${place}1234`);
  for (const place of ["c", "b", "a"]) open(place, `${place}1234`);
  open("d", "longer than all");
  open("d", "longer than all");
  expect(opened).toEqual(["a1234", "b1234", "c1234", "a1234", "longer than all", "longer than all"]);
});
