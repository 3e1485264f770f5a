import { parse } from "yaml";
import { readText } from "./source-tree.ts";

export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly command?: string | readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [other: string]: unknown;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/** The file as it stands where no variable is set: `${NAME:-text}` becomes the text. */
export function readCompose(): ComposeFile {
  const text = readText("docker-compose.yml").replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, "$1");
  const file: ComposeFile = parse(text, { merge: true });
  return file;
}

export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export function mountsOf(service: ComposeService): readonly Mount[] {
  return (service.volumes ?? []).map((volume) => {
    const [source = "", target = "", mode] = volume.split(":");
    return { source, target, readOnly: mode === "ro" };
  });
}

/** The targets of the Dockerfile, each with the lines up to the next one. */
export function dockerTargets(): ReadonlyMap<string, string> {
  const stages = readText("Dockerfile")
    .split(/^FROM /m)
    .slice(1);
  return new Map(
    stages.flatMap((stage) => {
      const name = /^\S+ AS (\S+)/.exec(stage)?.[1];
      return name === undefined ? [] : [[name, stage] as const];
    }),
  );
}
