import type { Random } from "../../test/support/random.ts";

const NAMES =
  "ls git echo printf test true kill cat x a.b a+b a@b 1 - . : , %1 [ /bin/ls ./x if for cd time exec".split(
    " ",
  );
const PLAIN = "a b/c HEAD~1 -x --y=z k=v %2 @ , : . .. + = a,b a=b:c 1 0x1 é ü".split(" ");
const SPECIAL = [
  ..."; & && | || > < >> << <<< ( ) { } [ ] * ? ~ # ! ^ \\ $ ` ' \" \n \r \0 \v \f \t".split(" "),
  "$(id)",
  "${x}",
  "$IFS",
  "$'a'",
  "`id`",
  "\\ ",
  "\\\n",
  "{a,b}",
  "\u00a0",
  "\u200b",
  "2>&1",
  "A=1",
  "a[0]=1",
  "x+=1",
];
const QUOTED = "a b$$c`d`!e\\f*g?h;i|j&k>l<m(n)o{p,q}r~s#t'u\"v w  x=y".split("");

/** A text that is often one simple command and often nearly one. */
export function candidate(random: Random): string {
  const clean = random.chance(0.7);
  const words = [random.chance(0.9) ? random.pick(NAMES) : word(random, clean)];
  for (let count = random.below(5); count > 0; count -= 1) words.push(word(random, clean));
  return (random.chance(0.1) ? " " : "") + words.join(random.pick([" ", " ", "  ", "\t"]));
}

function word(random: Random, clean: boolean): string {
  let text = "";
  for (let pieces = 1 + random.below(3); pieces > 0; pieces -= 1) text += piece(random, clean);
  return text;
}

function piece(random: Random, clean: boolean): string {
  if (!clean && random.chance(0.3)) return random.pick(SPECIAL);
  if (random.chance(0.6)) return random.pick(PLAIN);
  const mark = random.pick(["'", '"']);
  const inner = Array.from({ length: random.below(6) }, () => random.pick(QUOTED)).join("");
  return `${mark}${clean ? inner.replaceAll(/['"\\$`!]/g, "") : inner}${mark}`;
}
