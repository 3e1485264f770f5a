import { z } from "zod";
import { globProblem } from "../globs.ts";

const glob = z.string().superRefine((text, context) => {
  const message = globProblem(text);
  if (message !== null) context.addIssue({ code: "custom", message });
});

const program = z
  .string()
  .regex(
    /^(?:node_modules\/\.bin\/)?[A-Za-z0-9._+-]+$/,
    "a program is named without a path, in letters, digits, '.', '_', '+' and '-'; only node_modules/.bin/ may stand before it",
  );
const subcommand = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:._-]*$/, "a subcommand is one plain word");
const flag = z.string().regex(/^--?[A-Za-z0-9][A-Za-z0-9-]*=?$/, "a flag is written -x, --name or --name=");
const bareFlag = z.string().regex(/^--?[A-Za-z0-9][A-Za-z0-9-]*$/, "a flag is written -x or --name");
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a variable is named in letters, digits and '_'");

/** The key `command` of a rule. */
export const commandSchema = z.strictObject({
  exe: program,
  sub: z.array(subcommand).min(1).optional(),
  flags: z
    .strictObject({
      allow: z.array(flag).optional(),
      values: z.record(flag, z.array(glob).min(1)).optional(),
      require: z.array(bareFlag).optional(),
      forbid: z.array(bareFlag).optional(),
    })
    .optional(),
  positionals: z
    .strictObject({ max: z.int().min(0).optional(), allow: z.array(glob).min(1).optional() })
    .optional(),
  environment: z.array(variable).min(1).optional(),
});
