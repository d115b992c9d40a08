import assert from "node:assert/strict";
import { seccompFilter } from "../../src/sandbox/seccomp_filter.ts";

const X86 = {
  arch: 0xc000003e,
  socket: 41,
  clone: 56,
  unshare: 272,
  ioctl: 16,
};
const ARM = {
  arch: 0xc00000b7,
  socket: 198,
  clone: 220,
  unshare: 97,
  ioctl: 29,
};
const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

/** Runs a filter as the system does. */
function answer(
  program: Uint8Array<ArrayBuffer>,
  { arch, call, args = [] }: { arch: number; call: number; args?: number[] },
): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call, true);
  data.setUint32(4, arch, true);
  args.forEach((value, n) => data.setUint32(16 + 8 * n, value, true));
  const code = new DataView(program.buffer);
  let loaded = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const value = code.getUint32(at * 8 + 4, true);
    const yes = code.getUint8(at * 8 + 2);
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        loaded = data.getUint32(value, true);
        break;
      case 0x05:
        at += value;
        break;
      case 0x15:
        if (loaded === value) at += yes;
        break;
      case 0x35:
        if (loaded >= value) at += yes;
        break;
      case 0x45:
        if ((loaded & value) !== 0) at += yes;
        break;
      case 0x06:
        return value;
      default:
        assert.fail(`unknown instruction at ${at}`);
    }
  }
  assert.fail("the program has no end");
}

for (const [name, known] of [["x86_64", X86], ["aarch64", ARM]] as const) {
  const { arch } = known;
  const filter = (unixSockets: boolean) =>
    seccompFilter(name, { unixSockets }) ?? assert.fail("no filter");

  Deno.test(`seccompFilter() lets sockets be of the network only, ${name}`, () => {
    const socket = (family: number, unixSockets = false) =>
      answer(filter(unixSockets), { arch, call: known.socket, args: [family] });
    assert.deepEqual([1, 2, 10, 16, 17, 38, 40].map((one) => socket(one)), [
      EPERM,
      ALLOW,
      ALLOW,
      ALLOW,
      EPERM,
      EPERM,
      EPERM,
    ]);
    assert.equal(socket(1, true), ALLOW);
  });

  Deno.test(`seccompFilter() lets no namespace of users be made, ${name}`, () => {
    const program = filter(false);
    for (const call of [known.clone, known.unshare]) {
      const made = (flags: number) =>
        answer(program, { arch, call, args: [flags] });
      assert.equal(made(0x10000000), EPERM);
      assert.equal(made(0x10000011), EPERM);
      assert.equal(made(0x01200011), ALLOW);
    }
    assert.equal(answer(program, { arch, call: 435 }), ENOSYS);
  });

  Deno.test(`seccompFilter() refuses io_uring, typing for others, and calls of other processors, ${name}`, () => {
    const program = filter(true);
    assert.equal(answer(program, { arch, call: 425 }), EPERM);
    const { ioctl: call } = known;
    assert.equal(answer(program, { arch, call, args: [0, 0x5412] }), EPERM);
    assert.equal(answer(program, { arch, call, args: [0, 0x5401] }), ALLOW);
    assert.equal(answer(program, { arch: 0x40000003, call: 1 }), ENOSYS);
  });
}

Deno.test("seccompFilter() refuses ptrace and the second set of calls of x86-64", () => {
  const program = seccompFilter("x86_64", { unixSockets: true })!;
  const { arch } = X86;
  assert.equal(answer(program, { arch, call: 101 }), EPERM);
  assert.equal(answer(program, { arch, call: 0x40000000 + 1 }), ENOSYS);
  assert.equal(answer(program, { arch, call: 0 }), ALLOW);
});
