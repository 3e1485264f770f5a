/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";
import { Layout } from "./layout.tsx";
import { renderPage } from "./render.ts";

export type LoginProblem = "incomplete" | "wrong" | "slowed";

const PROBLEMS: Readonly<Record<LoginProblem, string>> = {
  incomplete: "Name and password are both needed.",
  wrong: "The name or the password is wrong.",
  slowed: "Too many attempts; wait a few minutes.",
};

interface LoginProps {
  readonly problem: LoginProblem | null;
  /** a path of ours */
  readonly next: string;
}

/** The page with the login's form. */
export function loginPage(props: LoginProps): string {
  return renderPage(Login, props);
}

function Login({ problem, next }: LoginProps): VNode {
  return (
    <Layout title="Sign in" reader={null}>
      <form class="login" method="post" action="/login">
        <img src="/assets/airlock.svg" alt="" width="40" height="40" />
        <h1>Airlock</h1>
        {problem !== null && (
          <p class="warning" role="alert">
            {PROBLEMS[problem]}
          </p>
        )}
        <p class="field">
          <label for="name">Name</label>
          <input id="name" name="name" type="text" autocomplete="username" required autofocus />
        </p>
        <p class="field">
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </p>
        <input type="hidden" name="next" value={next} />
        <button type="submit">Sign in</button>
      </form>
    </Layout>
  );
}
