import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { prepareWorkspace } from "../../src/workspace/index.ts";
import { credentialEnvironment } from "../../src/workspace/fetch-credentials.ts";
import { gitRepository, SERVICE_USER, temporaryDirectory } from "./fixture.ts";

const signal = AbortSignal.timeout(60_000);
const TOKEN = "s3cret-token";

let root: string;
let caFile: string;
let tokenFile: string;
let server: Server;
let asked: string[];
/** where the server sends who asks for the repository; null: it serves it */
let elsewhere: string | null;

beforeEach(async () => {
  root = await temporaryDirectory();
  gitRepository(join(root, "app"), "echo one > file");
  tokenFile = join(root, "token");
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  caFile = join(root, "cert.pem");
  const key = join(root, "key.pem");
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const form = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", caFile];
  execFileSync("openssl", ["req", "-x509", ...form, "-days", "2", ...subject], { stdio: "ignore" });
  asked = [];
  elsewhere = null;
  server = createServer({ key: readFileSync(key), cert: readFileSync(caFile) }, serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
});

function origin(host = "localhost"): string {
  const address = server.address();
  return `https://${host}:${typeof address === "object" ? address?.port : 0}`;
}

/** git's own server, behind a login. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const { authorization, host } = request.headers;
  if (authorization !== undefined)
    asked.push(`${host} ${Buffer.from(authorization.slice(6), "base64").toString()}`);
  if (elsewhere !== null)
    return void response.writeHead(302, { location: `${elsewhere}${request.url}` }).end();
  if (authorization === undefined) {
    return void response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
  }
  const url = new URL(request.url ?? "", origin());
  const env = {
    PATH: "/usr/bin:/bin",
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
    REQUEST_METHOD: request.method ?? "",
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    REMOTE_USER: "x",
  };
  const cgi = spawn("/usr/lib/git-core/git-http-backend", { env });
  request.pipe(cgi.stdin);
  const chunks: Buffer[] = [];
  cgi.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  cgi.on("close", () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf("\r\n\r\n");
    const head = all
      .subarray(0, end)
      .toString()
      .split("\r\n")
      .map((line) => line.split(": ", 2));
    const status = head.find(([name]) => name === "Status")?.[1];
    response.writeHead(
      Number(status?.slice(0, 3) ?? 200),
      Object.fromEntries(head) as Record<string, string>,
    );
    response.end(all.subarray(end + 4));
  });
}

function fetch(source: string) {
  const credentials = { kind: "token", file: tokenFile, user: "bot", caFile } as const;
  const request = { volume: join(root, "volume"), runId: "run-1", source, ref: "main" };
  return prepareWorkspace({ ...request, serviceUser: SERVICE_USER, credentials }, signal);
}

test("a token fetches over https, and lies in no file of the volume afterwards", async () => {
  const { tree } = await fetch(`${origin()}/app/.git`);
  expect(readFileSync(join(tree, "file"), "utf8")).toBe("one\n");
  expect(new Set(asked.map((line) => line.split(" ")[1]))).toEqual(new Set([`bot:${TOKEN}`]));
  const found = execFileSync("bash", [
    "--norc",
    "-c",
    `grep -rlE '${TOKEN}|askpass|${Buffer.from(`bot:${TOKEN}`).toString("base64")}' ${root}/volume || true`,
  ]);
  expect(found.toString()).toBe("");
});

test("a host that the source sends git on to is never handed the token", async () => {
  elsewhere = origin("127.0.0.1");
  await expect(fetch(`${origin()}/app/.git`)).rejects.toMatchObject({ code: "WORKSPACE_UNAVAILABLE" });
  expect(asked.filter((line) => line.startsWith("127.0.0.1"))).toEqual([]);
});

test("the program that answers git answers for the source's host alone", async () => {
  const home = join(root, "home");
  mkdirSync(home);
  const credentials = { kind: "token", file: tokenFile, user: "bot" } as const;
  const env = await credentialEnvironment(home, "https://git.example.org/a/b", credentials);
  const answer = (question: string): string => {
    try {
      return execFileSync(env["GIT_ASKPASS"] ?? "", [question], {
        env,
        encoding: "utf8",
        stdio: "pipe",
      }).trim();
    } catch {
      return "(none)";
    }
  };
  expect(answer("Username for 'https://git.example.org': ")).toBe("bot");
  expect(answer("Password for 'https://bot@git.example.org': ")).toBe(TOKEN);
  for (const host of ["evil.example.org", "git.example.org.evil", "git.example.org:8443"]) {
    expect(answer(`Username for 'https://${host}': `)).toBe("(none)");
    expect(answer(`Password for 'https://bot@${host}': `)).toBe("(none)");
  }
  expect(answer("Password for 'http://bot@git.example.org': ")).toBe("(none)");
  expect(JSON.stringify(env)).not.toContain(TOKEN);
});

test("an ssh key is the only one that ssh tries, on hosts that are known", async () => {
  const credentials = { kind: "ssh_key", file: tokenFile, knownHosts: "/etc/airlock/known_hosts" } as const;
  expect(await credentialEnvironment(root, "ssh://git@host/a", credentials)).toEqual({
    GIT_SSH_COMMAND:
      "/usr/bin/ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none " +
      "-o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null " +
      `-o UserKnownHostsFile=/etc/airlock/known_hosts -i ${tokenFile}`,
  });
});

test("credentials that others may read, or that are missing, are refused", async () => {
  chmodSync(tokenFile, 0o640);
  await expect(fetch(`${origin()}/app/.git`)).rejects.toThrow("chmod 600");
  tokenFile = join(root, "absent");
  await expect(fetch(`${origin()}/app/.git`)).rejects.toThrow("can't be read");
});
