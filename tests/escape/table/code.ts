import { type Attack, code, held, read } from "../attack.ts";

const READS = "flags read roots";
const PRINT = "'ESC' + 'APED'";

/** What only code inside the kernel can try. */
export const CODE: Attack[] = [
  {
    name: "imports JSON from outside",
    wants: { reads: "outside" },
    code: held(
      "return (await import('file://{away}/s.json', { with: { type: 'json' } })).default.text",
      READS,
    ),
  },
  {
    name: "imports text from outside",
    wants: { reads: "outside" },
    code: held(
      "return (await import('file://{away}/s.txt', { with: { type: 'text' } })).default",
      READS,
    ),
  },
  {
    name: "imports JavaScript from outside",
    wants: { reads: "outside" },
    code: held("return (await import('file://{away}/s.js')).default", READS),
  },
  {
    name: "imports TypeScript from outside",
    wants: { reads: "outside" },
    code: held("return (await import('file://{away}/s.ts')).text", READS),
  },
  {
    name: "imports a key as text",
    wants: { reads: "home secret" },
    code: held(
      "return (await import('file://{home}/.ssh/id_ed25519', { with: { type: 'text' } })).default",
      "flags denied reads · sandbox secrets hidden",
    ),
  },
  {
    name: "imports from outside through a module of the workspace",
    wants: { reads: "outside" },
    setUp: "echo 'export { default } from \"file://{away}/s.js\"' >inner.js",
    code: held("return (await import('file://{ws}/inner.js')).default", READS),
  },
  {
    name: "imports from outside through a module that is no file",
    wants: { reads: "outside" },
    code: held(
      "return (await import('data:text/javascript,' + encodeURIComponent('export { default } from \"file://{away}/s.js\"'))).default",
      READS,
    ),
  },
  {
    name: "requires a module from outside",
    wants: { reads: "outside" },
    code: held(
      "return (await import('node:module')).createRequire('file://{ws}/x.js')('{away}/s.cjs')",
      READS,
    ),
  },
  {
    name: "starts a worker from outside",
    wants: { reads: "outside" },
    code: held(
      "const worker = new Worker('file://{away}/worker.js', { type: 'module' }); try { return await new Promise((done, fail) => { worker.onmessage = ({ data }) => done(data); worker.onerror = (event) => { event.preventDefault(); fail(event.message); }; }); } finally { worker.terminate(); }",
      READS,
    ),
  },
  {
    name: "reads from a worker",
    wants: { reads: "outside" },
    code: held(
      "const worker = new Worker('data:text/javascript,' + encodeURIComponent(`let text = 'refused'; try { text = Deno.readTextFileSync('{away}/s.txt') } catch { } postMessage(text)`), { type: 'module' }); try { return await new Promise((done) => { worker.onmessage = ({ data }) => done(data); worker.onerror = (event) => { event.preventDefault(); done(event.message); }; }); } finally { worker.terminate(); }",
      READS,
    ),
  },
  {
    name: "reads with a module of Node",
    wants: { reads: "outside" },
    code: held(
      "return (await import('node:fs')).readFileSync('{away}/s.txt', 'utf8')",
      READS,
    ),
  },
  {
    name: "reads from another context of Node",
    wants: { reads: "outside" },
    code: held(
      "const { runInNewContext } = await import('node:vm'); return runInNewContext('read(path)', { read: Deno.readTextFileSync, path: '{away}/s.txt' })",
      READS,
    ),
  },
  {
    name: "opens a database outside",
    wants: { changes: "{home}/made.db" },
    code: held(
      "const { DatabaseSync } = await import('node:sqlite'); const database = new DatabaseSync('{home}/made.db'); database.exec('create table t (c)'); database.close()",
      "flags write roots · sandbox read-only system",
    ),
  },
  {
    name: "attaches a database outside to one in memory",
    wants: { changes: "{home}/attached.db" },
    code: held(
      "const { DatabaseSync } = await import('node:sqlite'); const database = new DatabaseSync(':memory:'); try { database.exec(\"attach '{home}/attached.db' as other; create table other.t (c)\") } finally { database.close() }",
      "flags all access · sandbox read-only system",
    ),
  },
  {
    name: "makes a temporary file outside",
    wants: { changes: "{home}/box" },
    setUp: "mkdir {home}/box",
    code: held(
      "await Deno.makeTempFile({ dir: '{home}/box' })",
      "flags write roots · sandbox read-only system",
    ),
  },
  {
    name: "asks for more permissions",
    wants: { does: "they are granted" },
    code: held(
      `const { state } = await Deno.permissions.request({ name: 'read', path: '{away}' }); return state === 'granted' && ${PRINT}`,
      READS,
    ),
  },
  {
    name: "loads a library of the system",
    wants: { does: "it is called" },
    code: held(
      `const library = Deno.dlopen('libc.so.6', { getpid: { parameters: [], result: 'i32' } }); const pid = library.symbols.getpid(); library.close(); return pid > 0 && ${PRINT}`,
      "flags foreign code",
    ),
  },
  {
    name: "asks for the addresses of the machine",
    wants: { does: "they are told" },
    code: held(
      `return Deno.networkInterfaces().length >= 0 && ${PRINT}`,
      "flags machine",
    ),
  },
  {
    name: "asks for the name of the machine",
    wants: { does: "it is told" },
    code: held(`return Deno.hostname() !== '' && ${PRINT}`, "flags machine"),
  },
  {
    name: "has a tool read after it has changed how texts are compared",
    wants: { reads: "outside" },
    tool: held([
      code(
        "globalThis.kept = String.prototype.startsWith; String.prototype.startsWith = function (...given) { return String(this).includes('/away') && String(given[0]).includes('/home') || kept.apply(this, given); }",
      ),
      read("{away}/s.txt"),
      code("String.prototype.startsWith = kept"),
    ], "flags read roots"),
  },
  {
    name: "has a tool read after it has changed how paths are followed",
    wants: { reads: "home secret" },
    tool: held([
      code(
        "globalThis.kept = { realPath: Deno.realPath, lstat: Deno.lstat }; Deno.realPath = (path) => Promise.resolve('{ws}/readme.txt'); Deno.lstat = Deno.stat; globalThis.open = Deno.open; Deno.open = () => open('{home}/.ssh/id_ed25519')",
      ),
      read("readme.txt"),
      code("Object.assign(Deno, kept, { open })"),
    ], "flags denied reads · sandbox secrets hidden"),
  },
];
