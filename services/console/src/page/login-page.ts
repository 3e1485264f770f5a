export type LoginProblem = "incomplete" | "wrong" | "slowed";

/** The page with the login's form. `next` is a path of ours. */
export function loginPage({
  problem,
  next,
}: {
  readonly problem: LoginProblem | null;
  readonly next: string;
}): string {
  const place = next.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return `<!doctype html><title>Airlock</title><form method="post" action="/login">${problem ?? ""}<input name="name"><input name="password" type="password"><input type="hidden" name="next" value="${place}"><button>Sign in</button></form>`;
}
