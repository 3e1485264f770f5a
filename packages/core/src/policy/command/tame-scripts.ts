const MAX_LENGTH = 1_024;

/** Pipes, redirects, gawk's includes and indirect calls, and what is not needed to read fields. */
const AWK_REACHES_OUT = /[|<>@`\\]/;
const AWK_NAMES =
  /(?<![A-Za-z0-9_])(?:system|getline|close|extension|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)(?![A-Za-z0-9_])/;

/** Whether an awk program can only compute and print: no command, no file, no change of its own arguments. */
export function isTameAwk(program: string): boolean {
  return program.length <= MAX_LENGTH && !AWK_REACHES_OUT.test(program) && !AWK_NAMES.test(program);
}

const SED_LINES = String.raw`(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?`;
const SED_COMMAND = new RegExp(String.raw`^${SED_LINES}[pdq=]$`);
const SED_SUBSTITUTE = ["/", "|", "#", ","].map((mark) => {
  const text = String.raw`(?:[^\\${mark}]|\\.)*`;
  return new RegExp(String.raw`^${SED_LINES}s[${mark}]${text}[${mark}]${text}[${mark}][gpI0-9]*$`);
});

/** Whether a sed script is one print, delete, quit or substitution, by line numbers: no `e`, `r`, `w`, no block. */
export function isTameSed(script: string): boolean {
  if (script.length > MAX_LENGTH) return false;
  return SED_COMMAND.test(script) || SED_SUBSTITUTE.some((form) => form.test(script));
}
