// What the operator says a source is fetched with in, git's environment out; no secret is in it, in an argument, or in a file
// of ours: git reads the token through a program that hands it to the source's own host alone. Refuses files that others read.
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { FetchCredentials } from "@airlock/core/run";

/** Git asks for exactly this host; a question for any other, as after a redirect, is not answered. */
const ASKPASS = `#!/bin/sh
case "$1" in
  "Username for '$FETCH_SCHEME://$FETCH_HOST': ") printf '%s\\n' "$FETCH_USER" ;;
  "Password for '$FETCH_SCHEME://$FETCH_USER@$FETCH_HOST': ") exec /usr/bin/head -n 1 -- "$FETCH_TOKEN_FILE" ;;
  *) exit 1 ;;
esac
`;

const SSH = ["/usr/bin/ssh", "-F", "/dev/null", "-o", "BatchMode=yes"];
const SSH_IDENTITY = ["-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none"];
const SSH_HOSTS = ["-o", "StrictHostKeyChecking=yes", "-o", "GlobalKnownHostsFile=/dev/null"];

/** `home`: a folder of the executor's own, for the program that answers git. */
export async function credentialEnvironment(
  home: string,
  source: string,
  credentials: FetchCredentials,
): Promise<Readonly<Record<string, string>>> {
  await assertPrivate(credentials.file);
  if (credentials.kind === "ssh_key") {
    const { file, knownHosts } = credentials;
    const command = [
      ...SSH,
      ...SSH_IDENTITY,
      ...SSH_HOSTS,
      "-o",
      `UserKnownHostsFile=${knownHosts}`,
      "-i",
      file,
    ];
    return { GIT_SSH_COMMAND: command.join(" ") };
  }
  const askpass = join(home, "askpass");
  await writeFile(askpass, ASKPASS, { mode: 0o700 });
  const { protocol, host } = new URL(source);
  return {
    GIT_ASKPASS: askpass,
    FETCH_SCHEME: protocol.slice(0, -1),
    FETCH_HOST: host,
    FETCH_USER: credentials.user,
    FETCH_TOKEN_FILE: credentials.file,
    ...(credentials.caFile === undefined ? {} : { GIT_SSL_CAINFO: credentials.caFile }),
  };
}

async function assertPrivate(file: string): Promise<void> {
  const { mode } = await stat(file).catch((cause: unknown) => {
    throw new AirlockError("WORKSPACE_UNAVAILABLE", `the credentials in ${file} can't be read`, { cause });
  });
  if ((mode & 0o077) === 0) return;
  throw new AirlockError("WORKSPACE_UNAVAILABLE", `${file} may be read by others; run: chmod 600 ${file}`);
}
