/**
 * Tells the host, before anything else happens, that code of a plugin runs: it
 * may never give JavaScript back, and a hung kernel can then be blamed on it.
 * On stderr, since the writes to stdout wait for the event loop.
 */
export function pluginMarks(token: string): (plugin: string) => () => void {
  const encoder = new TextEncoder();
  let next = 0;
  const write = (mark: object) => {
    const line = encoder.encode(`${token} ${JSON.stringify(mark)}\n`);
    for (let at = 0; at < line.length;) {
      at += Deno.stderr.writeSync(line.subarray(at));
    }
  };
  return (plugin) => {
    const id = next++;
    write({ id, plugin });
    return () => write({ id });
  };
}
