/** An instruction; jumps name the label where they lead, or fall through. */
export type BpfStep =
  /** Loads the 32-bit word at this offset of what the filter looks at. */
  | { load: number }
  | { ifEqual: number; goTo: string }
  | { ifAtLeast: number; goTo: string }
  | { ifAnyBit: number; goTo: string }
  | { goTo: string }
  /** Ends with this value. */
  | { give: number }
  | { label: string };

// linux/bpf_common.h
const LD_W_ABS = 0x20;
const JMP_JA = 0x05;
const JMP_JEQ_K = 0x15;
const JMP_JGE_K = 0x35;
const JMP_JSET_K = 0x45;
const RET_K = 0x06;

const INSTRUCTION_BYTES = 8;
/** A conditional jump has one byte for its distance. */
const MAX_JUMP = 255;

/** The bytes of a classic BPF program, little-endian, as the kernel of x86-64 and aarch64 takes them. Throws where a jump goes back, too far, or nowhere. */
export function assembleBpf(
  steps: readonly BpfStep[],
): Uint8Array<ArrayBuffer> {
  const places = new Map<string, number>();
  let length = 0;
  for (const step of steps) {
    if ("label" in step) places.set(step.label, length);
    else length++;
  }
  const bytes = new Uint8Array(length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const step of steps) {
    if ("label" in step) continue;
    const [code, yes, value] = encode(step, at);
    const offset = at * INSTRUCTION_BYTES;
    view.setUint16(offset, code, true);
    view.setUint8(offset + 2, yes);
    view.setUint8(offset + 3, 0);
    view.setUint32(offset + 4, value, true);
    at++;
  }
  return bytes;

  function encode(
    step: Exclude<BpfStep, { label: string }>,
    at: number,
  ): [code: number, yes: number, value: number] {
    if ("load" in step) return [LD_W_ABS, 0, step.load];
    if ("give" in step) return [RET_K, 0, step.give];
    const distance = distanceTo(step.goTo, at);
    if ("ifEqual" in step) return [JMP_JEQ_K, near(distance), step.ifEqual];
    if ("ifAtLeast" in step) return [JMP_JGE_K, near(distance), step.ifAtLeast];
    if ("ifAnyBit" in step) return [JMP_JSET_K, near(distance), step.ifAnyBit];
    return [JMP_JA, 0, distance];
  }

  function distanceTo(label: string, at: number): number {
    const distance = (places.get(label) ?? NaN) - at - 1;
    if (distance >= 0) return distance;
    throw new RangeError(`No way to "${label}" from instruction ${at}`);
  }
}

function near(distance: number): number {
  if (distance <= MAX_JUMP) return distance;
  throw new RangeError(`Too far to jump: ${distance}`);
}
