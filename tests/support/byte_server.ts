/** A server that answers each connection with given bytes, and closes it. */
export interface ByteServer extends AsyncDisposable {
  url: string;
}

/** Starts one on loopback; `answer` makes the whole response to connection n. */
export function startByteServer(
  answer: (n: number) => Uint8Array,
): ByteServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    let n = 0;
    for await (const connection of listener) {
      await readRequest(connection);
      for (let bytes = answer(n++); bytes.length > 0;) {
        bytes = bytes.subarray(await connection.write(bytes));
      }
      connection.close();
    }
  };
  const serving = serve();
  const { port } = listener.addr as Deno.NetAddr;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

/** Reads head and body, since a connection that is closed over unread bytes is reset. */
async function readRequest(connection: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(65536);
  let text = "";
  while (true) {
    const count = await connection.read(buffer);
    if (count === null) return;
    text += new TextDecoder().decode(buffer.subarray(0, count));
    const end = text.indexOf("\r\n\r\n");
    const size = /content-length: (\d+)/i.exec(text)?.[1];
    if (end >= 0 && text.length >= end + 4 + Number(size ?? 0)) return;
  }
}
