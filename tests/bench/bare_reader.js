// Reads a response as cheaply as Deno can, and does nothing with it.
const [url] = Deno.args;
const response = await fetch(url, { method: "POST", body: "{}" });
const reader = response.body.getReader({ mode: "byob" });
let buffer = new ArrayBuffer(64 * 1024);
while (true) {
  const { value, done } = await reader.read(new Uint8Array(buffer));
  if (done) break;
  buffer = value.buffer;
}
