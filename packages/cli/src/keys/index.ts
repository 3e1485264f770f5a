export {
  ensureKeySet,
  keyFilesApart,
  keyFilesIn,
  keyFilesTogether,
  readKeySet,
  writeKeySet,
} from "./key-files.ts";
