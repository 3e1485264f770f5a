import { wordSet } from "./options.ts";
import { isSafeValue } from "./safe-value.ts";

/** Variables that make a program run, load or trust something else. No rule can permit them; case makes no difference. */
const DANGEROUS = wordSet(
  "PATH HOME SHELL ENV BASH_ENV IFS PS4 CDPATH FPATH SHELLOPTS BASHOPTS GLOBIGNORE PROMPT_COMMAND INPUTRC TMPDIR TMP TEMP " +
    "PAGER MANPAGER EDITOR VISUAL BROWSER FCEDIT LESS LESSOPEN LESSCLOSE LESSKEY EXINIT VIMINIT MYVIMRC ZDOTDIR " +
    "CC CXX LD AR AS CPP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS RUSTC RUSTDOC RUSTFLAGS RUSTDOCFLAGS MAKE MAKEFLAGS MAKEFILES " +
    "GNUMAKEFLAGS MFLAGS CLASSPATH MAVEN_OPTS MAVEN_ARGS MAVEN_CONFIG GRADLE_OPTS SBT_OPTS ANT_OPTS ANT_ARGS VIRTUAL_ENV " +
    "TAR_OPTIONS GREP_OPTIONS GZIP ZIPOPT UNZIP XZ_OPT XZ_DEFAULTS RSYNC_RSH CVS_RSH POSIXLY_CORRECT HOSTALIASES " +
    "LOCPATH NLSPATH GCONV_PATH TERMINFO TERMCAP TZDIR NODE_ENV_FILE HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY " +
    "SSLKEYLOGFILE RESOLV_HOST_CONF ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS PROMPT",
);
const DANGEROUS_PREFIXES = (
  "GIT_ LD_ DYLD_ NODE_ NPM_ PNPM_ YARN_ COREPACK_ BUN_ DENO_ TS_NODE_ TSX_ ELECTRON_ PYTHON PYTEST_ PIP_ UV_ CONDA " +
  "POETRY_ TOX_ PERL RUBY GEM_ BUNDLE_ PHP LUA_ JAVA_ _JAVA JDK_ GO CGO_ CARGO_ RUSTC_ RUSTUP_ CMAKE_ BASH_FUNC_ MALLOC_ " +
  "GLIBC_ GCC_ CCACHE_ RIPGREP_ FZF_ SSH_ GPG GNUPG SSL_ CURL_ WGET OPENSSL_ DOCKER_ KUBE AWS_ AZURE_ GOOGLE_ XDG_ " +
  "SUDO_ DOTNET_ COR_ CORECLR_ COMPLUS_ R_ JULIA_ ASAN_ LSAN_ TSAN_ UBSAN_ VITE_ JEST_ VITEST_ ESLINT_ BABEL_ MAN AWK GAWK"
).split(" ");

/** Of the names with such a prefix, those that only choose a mode. */
const HARMLESS = wordSet("NODE_ENV");

export function isDangerousVariable(name: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS.has(name)) return false;
  return DANGEROUS.has(upper) || DANGEROUS_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** Judges what `env` sets or removes by the names that a rule permits. */
export function assignmentsAllowed(assignments: readonly string[], permitted: ReadonlySet<string>): boolean {
  return assignments.every((assignment) => {
    const equals = assignment.indexOf("=");
    const name = equals === -1 ? assignment : assignment.slice(0, equals);
    return permitted.has(name) && (equals === -1 || isSafeValue(assignment.slice(equals + 1)));
  });
}
