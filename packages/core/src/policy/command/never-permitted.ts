import { wordSet } from "./options.ts";
import { baseName } from "./part.ts";
import { withoutVersion } from "./programs.ts";

/** Programs that no rule can permit: they run what their arguments, a file or a person says, or raise their rights. */
const NEVER_PERMITTED: ReadonlySet<string> = wordSet(
  "sudo sudoedit doas su runuser pkexec chroot unshare nsenter bwrap setpriv capsh flock setarch prlimit taskset chrt " +
    "unbuffer chronic faketime proxychains torsocks eatmydata fakeroot xvfb-run numactl " +
    "nodemon concurrently cross-env docker-compose " +
    "parallel watch script scriptreplay expect rlwrap entr fd fdfind zsh ksh mksh fish csh tcsh yash rbash busybox toybox nu pwsh elvish " +
    "xonsh eval exec command builtin source . ssh scp sftp docker podman nerdctl kubectl nc ncat netcat socat telnet " +
    "strace ltrace gdb lldb perf valgrind ld.so tmux screen at batch crontab systemctl systemd-run service mount umount " +
    "pnpx bunx bun deno corepack volta mise asdf direnv nix nix-shell conda poetry uv uvx pipx bundle tox nox hatch task " +
    "ninja cmake bazel ant pip pip3 gem composer tclsh wish lua luajit irb jshell groovy julia R Rscript ghci osascript " +
    "ed ex vi vim nvim view vimdiff nano pico emacs emacsclient micro joe code man-db less more most pg bat " +
    "openssl dpkg apt apt-get rpm yum dnf snap patch run-parts start-stop-daemon xdg-open sensible-pager sensible-editor",
);

export function canNeverBePermitted(exe: string): boolean {
  const name = baseName(exe);
  return NEVER_PERMITTED.has(name) || NEVER_PERMITTED.has(withoutVersion(name));
}
