/** Things that are open, by numbers that are counted up: one is open, past or unknown. */
export class OpenIds<Value> {
  readonly #open = new Map<number, Value>();
  #next = 0;

  /** Opens the next one. */
  open(value: Value): number {
    const id = this.#next++;
    this.#open.set(id, value);
    return id;
  }

  /** Opens one whose number the other side has chosen; false where that is not a new one. */
  add(id: number, value: Value): boolean {
    if (id < this.#next) return false;
    this.#next = id + 1;
    this.#open.set(id, value);
    return true;
  }

  get(id: number): Value | undefined {
    return this.#open.get(id);
  }

  /** Ends one; undefined when it is not open. */
  take(id: number): Value | undefined {
    const value = this.#open.get(id);
    this.#open.delete(id);
    return value;
  }

  /** Ends all. */
  takeAll(): Value[] {
    const all = this.values;
    this.#open.clear();
    return all;
  }

  /** True for a number that was open once. */
  isPast(id: number): boolean {
    return id < this.#next && !this.#open.has(id);
  }

  get values(): Value[] {
    return [...this.#open.values()];
  }

  get size(): number {
    return this.#open.size;
  }
}
