import type { JsonObject, JsonValue } from "./content.ts";

/**
 * A JSON value that is built from the outside in, and shows what there is of it.
 *
 * A snapshot is never changed later: containers on the way to the current
 * place are copied before the first change after a snapshot. As that would be
 * quadratic in a long array or object, copying is paid from credit that grows
 * with the input; while it does not suffice, the snapshot before is shown.
 */
export class GrowingJson {
  #root: JsonValue | undefined;
  /** Containers that are open, the root first. */
  #open: OpenContainer[] = [];
  #snapshot: JsonObject = {};
  /** Containers of an earlier epoch belong to a snapshot. */
  #epoch = 0;
  #changed = false;
  /** What it costs to copy all open containers. */
  #copyCost = 0;
  #copyCredit = FIRST_CREDIT;

  /** The value, up to date; `undefined` while there is none. */
  get root(): JsonValue | undefined {
    return this.#root;
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#open.length;
  }

  /** What the innermost open container is. */
  get innermost(): "array" | "object" | undefined {
    const container = this.#open.at(-1);
    if (!container) return undefined;
    return typeof container.key === "number" ? "array" : "object";
  }

  /** Names the member of the open object that the next values are of. */
  nameMember(name: string): void {
    const container = this.#open.at(-1);
    if (container) container.key = name;
  }

  /** Sets the value at the current place; may be called again as it grows. */
  put(value: JsonValue): void {
    this.#changed = true;
    const container = this.#open.at(-1);
    if (!container) {
      this.#root = value;
      return;
    }
    this.#copyShared();
    setMember(container.value, container.key, value);
  }

  /** Says that the value at the current place is complete. */
  endValue(): void {
    const container = this.#open.at(-1);
    if (!container) return;
    let cost = COST_A_MEMBER;
    if (typeof container.key === "number") {
      cost = container.key < FAR ? COST_AN_ELEMENT : COST_A_FAR_ELEMENT;
      container.key++;
    }
    container.copyCost += cost;
    this.#copyCost += cost;
  }

  /** Puts an empty container at the current place and goes into it. */
  openContainer(value: JsonObject | JsonValue[]): void {
    this.put(value);
    const key = Array.isArray(value) ? 0 : "";
    const copyCost = COST_A_MEMBER;
    this.#open.push({ value, key, epoch: this.#epoch, copyCost });
    this.#copyCost += copyCost;
  }

  /** Leaves the innermost container, which is complete. */
  closeContainer(): void {
    this.#copyCost -= this.#open.pop()?.copyCost ?? 0;
    this.endValue();
  }

  /** The value after `readCharacters` more of the input; `{}` while it is no object. */
  snapshot(readCharacters: number): JsonObject {
    this.#copyCredit += CREDIT_A_SNAPSHOT +
      CREDIT_A_CHARACTER * readCharacters;
    if (!this.#changed || !isObject(this.#root)) return this.#snapshot;
    if (this.#copyCredit < this.#copyCost) return this.#snapshot;
    this.#copyCredit -= this.#copyCost;
    this.#changed = false;
    this.#epoch++;
    this.#snapshot = this.#root;
    return this.#snapshot;
  }

  /** Copies the open containers that belong to a snapshot. */
  #copyShared(): void {
    // Where one does not, those around it do not either.
    let first = this.#open.length;
    while (first > 0 && this.#open[first - 1]?.epoch !== this.#epoch) first--;
    for (let i = first; i < this.#open.length; i++) {
      const container = this.#open[i] as OpenContainer;
      container.value = Array.isArray(container.value)
        ? container.value.slice()
        : { ...container.value };
      container.epoch = this.#epoch;
      const parent = this.#open[i - 1];
      if (parent) setMember(parent.value, parent.key, container.value);
      else this.#root = container.value;
    }
  }
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own member, whatever its name. */
export function setMember(
  target: JsonObject | JsonValue[],
  key: string | number,
  value: JsonValue,
): void {
  if (key === "__proto__") {
    // An assignment would set the prototype.
    Object.defineProperty(target, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else {
    (target as Record<string | number, JsonValue>)[key] = value;
  }
}

interface OpenContainer {
  value: JsonObject | JsonValue[];
  /** The current place in it. */
  key: string | number;
  epoch: number;
  copyCost: number;
}

// In units of about a nanosecond. To copy a short array is one move of memory;
// a long one needs memory of its own, an object a look-up for each member.
const COST_AN_ELEMENT = 1;
const COST_A_FAR_ELEMENT = 8;
const FAR = 10_000;
const COST_A_MEMBER = 128;
/** What ordinary arguments never use up. */
const FIRST_CREDIT = 20_000_000;
const CREDIT_A_SNAPSHOT = 2048;
const CREDIT_A_CHARACTER = 192;
