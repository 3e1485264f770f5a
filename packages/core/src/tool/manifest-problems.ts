import type { DocumentProblem } from "../document/index.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../json/index.ts";
import type { ToolManifest } from "./manifest.ts";

/** What every wire family accepts as a function's name. */
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** What a manifest says of itself that can't be true or can't be held to; places are the manifest's keys. */
export function manifestProblems(manifest: ToolManifest): readonly DocumentProblem[] {
  const name = JSON.stringify(manifest.name);
  return [
    ...(TOOL_NAME.test(manifest.name)
      ? []
      : [{ path: ["name"], message: `${name} is no tool name; use a-z, 0-9 and _, a letter first` }]),
    ...argumentProblems(manifest),
    ...effectProblems(manifest),
  ];
}

/** Without its argument a claim would be one on the whole workspace. */
function argumentProblems({ claims, inputSchema }: ToolManifest): readonly DocumentProblem[] {
  const required = inputSchema["required"];
  return (["reads", "writes", "patches"] as const).flatMap((key) =>
    claims[key].flatMap((name, at): readonly DocumentProblem[] => {
      const path = ["claims", key, at];
      const word = `claims.${key} names ${JSON.stringify(name)}`;
      const argument = memberOf(inputSchema["properties"], name);
      if (argument === undefined) return [{ path, message: `${word}, which is no argument of the tool` }];
      if (memberOf(argument, "type") !== "string") {
        return [{ path, message: `${word}, which is no string; only strings hold paths and patches` }];
      }
      return required !== undefined && isJsonArray(required) && required.includes(name)
        ? []
        : [{ path, message: `${word}, which may be left out; add it to required` }];
    }),
  );
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function effectProblems({ effect, claims }: ToolManifest): readonly DocumentProblem[] {
  const writes = claims.writes.length > 0 || claims.patches.length > 0 || claims.workspace === "write";
  if (effect === "read" && writes) {
    return [
      {
        path: ["effect"],
        message: "a read tool can't claim to write; choose another effect, or drop the claims",
      },
    ];
  }
  if (effect !== "read" && !writes) {
    return [
      {
        path: ["claims"],
        message: `a tool that is ${effect} says what it writes: name arguments in writes, or workspace: write`,
      },
    ];
  }
  return [];
}
