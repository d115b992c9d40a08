import { type Attack, commands, held } from "../attack.ts";

const CODE = "flags network · sandbox network";
const HELD = "sandbox network";
const UNIX =
  `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($ARGV[0]))`;

/** Ways to somebody else on this machine, or farther. */
export const NETWORK: Attack[] = [
  {
    name: "connects to a port of this machine",
    wants: { reaches: "tcp" },
    code: held(
      "(await Deno.connect({ hostname: '127.0.0.1', port: {tcp} })).close()",
      CODE,
    ),
    ...commands(": </dev/tcp/127.0.0.1/{tcp}", HELD),
  },
  {
    name: "connects to a port by the name localhost",
    wants: { reaches: "tcp" },
    code: held(
      "(await Deno.connect({ hostname: 'localhost', port: {tcp} })).close()",
      CODE,
    ),
    ...commands(": </dev/tcp/localhost/{tcp}", HELD),
  },
  {
    name: "connects over IPv6",
    wants: { reaches: "tcp6" },
    needs: "IPv6",
    code: held(
      "(await Deno.connect({ hostname: '::1', port: {tcp6} })).close()",
      CODE,
    ),
    ...commands(": </dev/tcp/::1/{tcp6}", HELD),
  },
  {
    name: "connects to an address outside",
    wants: { reaches: "other address" },
    needs: "another address",
    code: held(
      "(await Deno.connect({ hostname: '{address}', port: {other} })).close()",
      CODE,
    ),
    ...commands(": </dev/tcp/{address}/{other}", HELD),
  },
  {
    name: "fetches a page",
    wants: { reaches: "tcp" },
    code: held("await fetch('{origin}/')", CODE),
  },
  {
    name: "fetches a page with programs",
    wants: { reaches: "tcp" },
    ...commands(
      "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(q(127.0.0.1:{tcp}))'",
      HELD,
    ),
  },
  {
    name: "clones a repository",
    wants: { reaches: "tcp" },
    ...commands("git ls-remote {origin}/x.git 2>&1", HELD),
  },
  {
    name: "opens a web socket",
    wants: { reaches: "tcp" },
    code: held(
      "await new Promise((done) => { new WebSocket('ws://127.0.0.1:{tcp}').onerror = done; })",
      CODE,
    ),
  },
  {
    name: "connects with a client of its own settings",
    wants: { reaches: "tcp" },
    code: held(
      "const client = Deno.createHttpClient({ proxy: { url: '{origin}' } }); try { await fetch('http://example.org/', { client }) } finally { client.close() }",
      CODE,
    ),
  },
  {
    name: "connects with a module of Node",
    wants: { reaches: "tcp" },
    code: held(
      "const { connect } = await import('node:net'); const socket = connect({tcp}, '127.0.0.1'); await new Promise((done) => { socket.on('connect', done); socket.on('error', done); }); socket.destroy()",
      CODE,
    ),
  },
  {
    name: "fetches from a worker",
    wants: { reaches: "tcp" },
    code: held(
      "const worker = new Worker('data:text/javascript,' + encodeURIComponent(`await fetch('{origin}/').catch(() => {}); postMessage(1)`), { type: 'module' }); await new Promise((done) => { worker.onmessage = done; worker.onerror = done; }); worker.terminate()",
      CODE,
    ),
  },
  {
    name: "has the host fetch a page",
    wants: { reaches: "tcp" },
    code: held("await tau.fetch('{origin}/')", "host fetch"),
  },
  {
    name: "sends a datagram",
    wants: { reaches: "udp" },
    code: held(
      "const { createSocket } = await import('node:dgram'); addEventListener('error', (event) => event.preventDefault(), { once: true }); const socket = createSocket('udp4'); await new Promise((done) => { socket.on('error', done); socket.send('x', {udp}, '127.0.0.1', done); setTimeout(done, 50); })",
      CODE,
    ),
    ...commands("echo x >/dev/udp/127.0.0.1/{udp}", HELD),
  },
  {
    name: "asks a server for a name",
    wants: { reaches: "udp" },
    code: held(
      "await Promise.race([Deno.resolveDns('key.example.org', 'A', { nameServer: { ipAddr: '127.0.0.1', port: {udp} } }), new Promise((done) => setTimeout(done, 50))])",
      CODE,
    ),
    ...commands(
      `printf '\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\3key\\7example\\3org\\0\\0\\1\\0\\1' >/dev/udp/127.0.0.1/{udp}`,
      HELD,
    ),
  },
  {
    name: "connects to the socket of somebody else in the workspace",
    wants: { reaches: "socket file" },
    code: held(
      "(await Deno.connect({ transport: 'unix', path: '{ws}/host.sock' })).close()",
      "flags network · sandbox unix sockets",
    ),
    ...commands(`perl -e '${UNIX}' host.sock`, "sandbox unix sockets"),
  },
  {
    name: "connects to a socket of the user's programs",
    wants: { reaches: "runtime socket" },
    code: held(
      "(await Deno.connect({ transport: 'unix', path: '{run}/bus' })).close()",
      "flags all access · sandbox twice",
    ),
    ...commands(`perl -e '${UNIX}' {run}/bus`, "sandbox twice"),
  },
  {
    name: "connects to a socket without a file",
    wants: { reaches: "abstract socket" },
    ...commands(
      `perl -e '$ARGV[0] = "\\0" . $ARGV[0]; ${UNIX}' tau-escape-{tag}`,
      "sandbox twice",
    ),
  },
  {
    name: "imports a module from a server",
    wants: { reaches: "tcp" },
    code: held(
      "await import('{origin}/x.js')",
      "flags imports · sandbox network",
    ),
  },
  {
    name: "imports a module over https",
    wants: { reaches: "tcp" },
    code: held(
      "await import('https://127.0.0.1:{tcp}/x.js')",
      "flags imports · sandbox network",
    ),
  },
  {
    name: "imports a package of npm",
    wants: { reaches: "tcp" },
    code: held(
      "await import('npm:@escape/' + 'key-{tag}@1.0.0')",
      "sandbox twice",
    ),
  },
];
