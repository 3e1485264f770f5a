import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { attempt, grantedCalls, nothing } from "./batch.ts";

const place = inject("executor");

/** Counts who arrives at listeners of this machine, of every kind that a program could look for. */
async function listeners() {
  let arrived = 0;
  const arrive = (): void => void (arrived += 1);
  const open = async (where: string | number): Promise<Server> => {
    const server = createServer((socket) => {
      arrive();
      socket.destroy();
    });
    if (typeof where === "number") server.listen(where, "127.0.0.1");
    else server.listen(where);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return server;
  };
  const tcp = await open(0);
  const file = path.join(place.directory, "socket");
  rmSync(file, { force: true });
  await open(file);
  chmodSync(file, 0o777);
  await open("\0airlock-escape");
  const udp = createSocket("udp4", arrive);
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(() => void udp.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both listen on a port
  const ports = { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port };
  return { ports, file, arrived: () => arrived };
}

/** Perl: opens a socket of this family, type and protocol, and says so. */
const socket = (family: number, type: number, protocol = 0): string =>
  `perl -e 'print "OPEN" if socket(my $s, ${family}, ${type}, ${protocol})'`;

/** Perl: connects to a socket by its path or abstract name. */
const unix = (name: string): string =>
  `perl -e 'socket(my $s, 1, 1, 0) and connect($s, pack("S a*", 1, ${name})) and print "CONNECTED"'`;

test("no listener, no network and no kernel interface can be reached", async () => {
  const { ports, file, arrived } = await listeners();
  expect(existsSync(file)).toBe(true);
  const run = await grantedCalls().run();
  const attempts = {
    "TCP to the loopback": `exec 9<>/dev/tcp/127.0.0.1/${ports.tcp} && echo CONNECTED`,
    "TCP to Redis": `exec 9<>/dev/tcp/127.0.0.1/${new URL(place.url).port} && echo PING >&9 && head -1 <&9`,
    "UDP to the loopback": `exec 9<>/dev/udp/127.0.0.1/${ports.udp} && echo x >&9 && echo SENT`,
    "a unix socket by path": unix(`"${file}"`),
    "a unix socket by its abstract name": unix(`"\\0airlock-escape"`),
    "IPv4 sockets": socket(2, 1) + socket(2, 2),
    "IPv6 sockets": socket(10, 1) + socket(10, 2),
    "raw sockets": socket(2, 3, 1) + socket(10, 3, 58),
    "packet sockets": socket(17, 3, 768) + socket(17, 2, 768),
    "netlink sockets": socket(16, 3, 0) + socket(16, 2, 15),
    vsock: socket(40, 1),
    "the kernel's ciphers (AF_ALG)": socket(38, 5),
    "Bluetooth and XDP": socket(31, 3, 1) + socket(44, 3),
    "the metadata service": `exec 9<>/dev/tcp/169.254.169.254/80 && echo CONNECTED; exec 9<>/dev/udp/169.254.169.254/80 && echo x >&9 && echo SENT`,
    "a name server": `getent hosts localhost.localdomain. example.com; perl -e 'print "RESOLVED" if gethostbyname("example.com")'; exec 9<>/dev/udp/127.0.0.53/53 && echo x >&9 && echo SENT`,
    "names of hosts": `cat /etc/resolv.conf /etc/hosts; ls /run/systemd/resolve /run/nscd /var/run/nscd`,
    "an interface but the loopback": `grep : /proc/net/dev | grep -v '^ *lo:'`,
    "a route to anywhere": `tail -n +2 /proc/net/route`,
    "node's own network": `node -e 'const s = require("net").connect(${ports.tcp}, "127.0.0.1"); s.on("connect", () => console.log("CONNECTED")); s.on("error", () => {})'`,
  };
  expect(await attempt(run, attempts)).toEqual(nothing(attempts));
  expect(arrived()).toBe(0);
});

test("programs of one call still talk to each other by unix sockets and pipes", async () => {
  const run = await grantedCalls().run();
  const script = `node -e 'const net = require("net");
    const server = net.createServer((s) => s.end("heard")).listen("/tmp/s", () =>
      net.connect("/tmp/s").on("data", (d) => { console.log(String(d)); server.close(); }));'`;
  expect(await attempt(run, { script })).toEqual({ script: "heard" });
});
