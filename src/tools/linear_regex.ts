import {
  type AssertionKind,
  parseRegex,
  type RegexNode,
  RegexTooLargeError,
} from "./regex_syntax.ts";

/** Positions of a pattern, counted repetitions written out. */
const MAX_POSITIONS = 4000;

/** Sets of positions that are remembered. */
const MAX_STATES = 2000;

const MAX_CODE_POINTS = 20_000;

/** The pattern needs look-around or a backreference. */
export class NotRegularError extends Error {
  override name = "NotRegularError";
}

/** How far the search in one line has come. */
export interface LinearCursor {
  /** UTF-16 units read. */
  at: number;
  state: State;
}

/** What to do at a position of the pattern. */
type Position =
  | { type: "set"; set: number; next: number }
  | { type: "split"; next: number; other: number }
  | {
    type: "assertion";
    kind: AssertionKind;
    ignoreCase: boolean;
    next: number;
  }
  | { type: "match" };

/** What stands before or behind a place between two characters. */
const NOTHING = 0;
const WORD = 1;
/** Of a word where case is ignored: `ſ` is an `s` then. */
const FOLDED_WORD = 2;
const OTHER = 3;
type Neighbour =
  | typeof NOTHING
  | typeof WORD
  | typeof FOLDED_WORD
  | typeof OTHER;

/** All that can still come of what was read: positions, and the last character's kind. */
interface State {
  positions: number[];
  before: Neighbour;
  /** By class of the next character; MATCHED when a match ends before it. */
  next: (State | undefined)[];
  matchesAtEnd: boolean | undefined;
}

const MATCHED: State = {
  positions: [],
  before: NOTHING,
  next: [],
  matchesAtEnd: true,
};

/**
 * Finds a regular expression in a line in time proportional to its length,
 * whatever the pattern: by an automaton whose states are made when they are
 * needed. It agrees with `RegExp` and the flag `u` on whether there is a
 * match, and knows where the match that ends first ends.
 *
 * The constructor takes what `RegExp` takes; it throws
 * {@linkcode NotRegularError} for look-around and backreferences and
 * {@linkcode RegexTooLargeError} for too many positions.
 */
export class LinearRegex {
  #positions: Position[] = [{ type: "match" }];
  #sets: RegExp[] = [];
  #setNumbers = new Map<string, number>();
  #entry: number;
  #states = new Map<string, State>();
  /** Characters that no part of the pattern tells apart have one class. */
  #classes = new Map<string, number>();
  /** A character of each class, and whether it is of a word. */
  #members: { sets: boolean[]; kind: Neighbour }[] = [];
  #classOfAscii = new Int32Array(128).fill(-1);
  #classOfOther = new Map<number, number>();

  constructor(source: string, { ignoreCase = false } = {}) {
    const flags = { ignoreCase, dotAll: false };
    this.#entry = this.#compile(parseRegex(source, flags), 0);
  }

  /** The size of the automaton: what one character costs at worst. */
  get size(): number {
    return this.#positions.length;
  }

  /** Begins the search in a line. */
  begin(): LinearCursor {
    return { at: 0, state: this.#state([], NOTHING) };
  }

  /**
   * Goes on for at most `units` UTF-16 units. Returns where a match ends, -1
   * when the line holds none, undefined when it has not been read to its end.
   */
  advance(
    line: string,
    cursor: LinearCursor,
    units: number,
  ): number | undefined {
    const end = Math.min(line.length, cursor.at + units);
    let { at, state } = cursor;
    while (at < end) {
      const unit = line.charCodeAt(at);
      const codePoint = unit < 0xd800 ? unit : line.codePointAt(at) as number;
      const charClass = unit < 128
        ? this.#classOfAscii[unit] as number
        : this.#classOfOther.get(codePoint) ?? -1;
      const known = charClass === -1 ? this.#classify(codePoint) : charClass;
      state = state.next[known] ?? this.#step(state, known);
      if (state === MATCHED) return at;
      at += codePoint > 0xffff ? 2 : 1;
    }
    cursor.at = at;
    cursor.state = state;
    if (at < line.length) return undefined;
    state.matchesAtEnd ??= this.#closure(state, NOTHING) === undefined;
    return state.matchesAtEnd ? at : -1;
  }

  /** Adds the positions of a node that goes on at `next`; returns where it begins. */
  #compile(node: RegexNode, next: number): number {
    switch (node.type) {
      case "set":
        return this.#add({ type: "set", set: this.#setOf(node), next });
      case "assertion":
        return this.#add({
          type: "assertion",
          kind: node.kind,
          ignoreCase: node.flags.ignoreCase,
          next,
        });
      case "sequence":
        return node.items.reduceRight(
          (after, item) => this.#compile(item, after),
          next,
        );
      case "alternatives":
        return node.items.map((item) => this.#compile(item, next))
          .reduceRight((other, first) =>
            this.#add({ type: "split", next: first, other })
          );
      case "repeat":
        return this.#compileRepeat(node, next);
      default:
        throw new NotRegularError(
          "look-around and backreferences need a backtracking search",
        );
    }
  }

  #compileRepeat(
    { item, min, max }: Extract<RegexNode, { type: "repeat" }>,
    next: number,
  ): number {
    let entry = next;
    if (max === Infinity) {
      const loop = { type: "split" as const, next: 0, other: next };
      entry = this.#add(loop);
      loop.next = this.#compile(item, entry);
    } else {
      for (let i = min; i < max; i++) {
        const optional = this.#compile(item, entry);
        entry = this.#add({ type: "split", next: optional, other: next });
      }
    }
    for (let i = 0; i < min; i++) {
      const before = entry;
      entry = this.#compile(item, entry);
      // An item without positions stays so, however often it is repeated.
      if (entry === before) break;
    }
    return entry;
  }

  #add(position: Position): number {
    if (this.#positions.length >= MAX_POSITIONS) {
      throw new RegexTooLargeError(
        "too many parts, counted repetitions written out",
      );
    }
    return this.#positions.push(position) - 1;
  }

  #setOf({ source, flags }: Extract<RegexNode, { type: "set" }>): number {
    const letters = `u${flags.ignoreCase ? "i" : ""}${flags.dotAll ? "s" : ""}`;
    const key = letters + source;
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.#sets.push(new RegExp(`^(?:${source})$`, letters)) - 1;
      this.#setNumbers.set(key, number);
    }
    return number;
  }

  #classify(codePoint: number): number {
    const character = String.fromCodePoint(codePoint);
    const sets = this.#sets.map((set) => set.test(character));
    const kind = /\w/.test(character)
      ? WORD
      : /\w/iu.test(character)
      ? FOLDED_WORD
      : OTHER;
    const key = kind + sets.map(Number).join("");
    let number = this.#classes.get(key);
    if (number === undefined) {
      number = this.#members.push({ sets, kind }) - 1;
      this.#classes.set(key, number);
    }
    if (codePoint < 128) {
      this.#classOfAscii[codePoint] = number;
    } else {
      if (this.#classOfOther.size >= MAX_CODE_POINTS) {
        this.#classOfOther.clear();
      }
      this.#classOfOther.set(codePoint, number);
    }
    return number;
  }

  #step(state: State, charClass: number): State {
    const { sets, kind } = this.#members[charClass] as {
      sets: boolean[];
      kind: Neighbour;
    };
    const reached = this.#closure(state, kind);
    let next = MATCHED;
    if (reached) {
      const positions = new Set<number>();
      for (const position of reached) {
        if (position.type === "set" && sets[position.set]) {
          positions.add(position.next);
        }
      }
      next = this.#state([...positions].sort((a, b) => a - b), kind);
    }
    state.next[charClass] = next;
    return next;
  }

  /** All positions that can be reached without reading on; undefined when the end of the pattern is among them. */
  #closure(state: State, after: Neighbour): Position[] | undefined {
    const seen = new Set<number>();
    const open = [...state.positions, this.#entry];
    const reached: Position[] = [];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (seen.has(number)) continue;
      seen.add(number);
      const position = this.#positions[number] as Position;
      if (position.type === "match") return undefined;
      reached.push(position);
      if (position.type === "split") open.push(position.next, position.other);
      else if (
        position.type === "assertion" &&
        holds(position, state.before, after)
      ) {
        open.push(position.next);
      }
    }
    return reached;
  }

  #state(positions: number[], before: Neighbour): State {
    const key = `${before}:${positions.join()}`;
    let state = this.#states.get(key);
    if (!state) {
      if (this.#states.size >= MAX_STATES) this.#forget();
      state = { positions, before, next: [], matchesAtEnd: undefined };
      this.#states.set(key, state);
    }
    return state;
  }

  /** Drops all states; those that are still in use must not keep the others. */
  #forget(): void {
    for (const state of this.#states.values()) state.next = [];
    this.#states.clear();
  }
}

function holds(
  assertion: Extract<Position, { type: "assertion" }>,
  before: Neighbour,
  after: Neighbour,
): boolean {
  const { kind, ignoreCase } = assertion;
  if (kind === "start") return before === NOTHING;
  if (kind === "end") return after === NOTHING;
  const isWord = (side: Neighbour) =>
    side === WORD || ignoreCase && side === FOLDED_WORD;
  return (isWord(before) !== isWord(after)) === (kind === "boundary");
}
