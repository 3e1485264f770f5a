/** Whether this is a branch's name that git takes, and that no part of git reads as anything else. */
export function isBranchName(name: string): boolean {
  return (
    /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(name) &&
    !name.includes("..") &&
    name.split("/").every((part) => part !== "" && !/^[.-]|\.$|\.lock$/.test(part)) &&
    name !== "HEAD" &&
    !name.startsWith("refs/")
  );
}
