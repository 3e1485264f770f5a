import { z } from "zod";

const FOLDER = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?!\/)[A-Za-z0-9._@+-]+(?:\/[A-Za-z0-9._@+-]+)*$/;
const place = z
  .string()
  .max(1_024)
  .regex(FOLDER, "a path below the repository's root, of letters, digits and ._@+-")
  .refine((text) => !/(?:^|\/)\.git(?:\/|$)/i.test(text), ".git is nobody's to prepare");

/** No quoting is needed anywhere for such a path. */
const file = z.string().regex(/^\/[A-Za-z0-9._/@+-]+$/, "an absolute path of letters, digits and ._/@+-");

const word = z
  .string()
  .min(1)
  .max(8_192)
  .refine((text) => !text.includes("\0"), "a word of the command holds a NUL byte");

const prepare = z.strictObject({
  command: z.array(word).min(1).max(64).describe("the program and its arguments; there is no shell"),
  lockfiles: z
    .array(place)
    .min(1)
    .max(16)
    .describe(
      "files of the repository that decide what the command makes; those that are missing count as empty",
    ),
  folders: z
    .array(place)
    .min(1)
    .max(16)
    .describe("folders that the command fills, kept for every run of the ref with the same lockfiles"),
  timeoutMs: z
    .int()
    .min(1_000)
    .max(3_600_000)
    .default(600_000)
    .describe("milliseconds until the command is killed"),
});

const quota = z.strictObject({
  bytes: z
    .int()
    .min(1)
    .max(2 ** 50)
    .default(10 * 2 ** 30)
    .describe("bytes of tree and git dir"),
  files: z.int().min(1).max(100_000_000).default(500_000).describe("files, folders and links of both"),
});

const credentials = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("token").describe("for https"),
    file: file.describe("holds the token and nothing else; mode 0600"),
    user: z
      .string()
      .regex(/^[A-Za-z0-9._-]+$/, "letters, digits and ._-")
      .default("x-access-token")
      .describe("the user name that goes with it"),
    caFile: file
      .exactOptional()
      .describe("certificates that the server is checked with, in place of the system's"),
  }),
  z.strictObject({
    kind: z.literal("ssh_key").describe("for ssh"),
    file: file.describe("the private key; mode 0600"),
    knownHosts: file.describe("the hosts that may be connected to, as in known_hosts"),
  }),
]);

const repository = z.strictObject({
  source: z.string().min(1).describe("path or URL, as in AIRLOCK_SOURCES: this one, and everything below it"),
  prepare: prepare
    .exactOptional()
    .describe("fills folders of the tree before the first call; sees the network"),
  quota: quota.prefault({}).describe("what a workspace may hold"),
  credentials: credentials.exactOptional().describe("what the executor fetches with"),
  commit: z
    .boolean()
    .default(false)
    .describe("keep what a run changed as a commit on a branch airlock/<run> beside the mirror"),
});

/** The operator's word on repositories. Every key that is not here is an error. */
export const repositoriesDocumentSchema = z.strictObject({
  apiVersion: z.literal("airlock.repositories/v1").describe("the format of the file"),
  repositories: z.array(repository).describe("of several that fit a source, the longest one holds"),
});

export type Repository = Readonly<z.infer<typeof repository>>;
export type PrepareStep = NonNullable<Repository["prepare"]>;
export type Quota = Repository["quota"];
export type FetchCredentials = NonNullable<Repository["credentials"]>;
export const DEFAULT_QUOTA: Quota = quota.parse({});
