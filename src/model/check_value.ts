import type { SchemaNode } from "./compile_schema.ts";
import { hasType, isObject, isSameJson, typeName } from "./json_values.ts";

/** One way in which a value does not fit its schema. */
export interface Fault {
  /** Names and indices from the root, dotted; empty for the root itself. */
  path: string;
  message: string;
  /** Type that would have been right, when the value is of another kind altogether. */
  expected?: Expected;
}

interface Expected {
  /** Types, and values as JSON. */
  names: readonly string[];
  /** True when all of them are values, so that nothing else would do. */
  isMembers: boolean;
}

/** Faults of a value, and how many there are beyond those that were kept. */
export class FaultList {
  readonly faults: Fault[] = [];
  /** Number of those left out. */
  more = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(fault: Fault): void {
    if (this.faults.length < this.#limit) this.faults.push(fault);
    else this.more++;
  }

  /** True once a list of one fault is full. */
  get isDone(): boolean {
    return this.#limit === 1 && this.faults.length === 1;
  }
}

/**
 * Checks values against schemas, within one budget of work: unions in a
 * recursive schema would otherwise take time exponential in the depth of a
 * value. Where the budget ends, values count as faulty.
 */
export class ValueChecker {
  #steps = 0;
  #depth = 0;
  /** True when a part of a value was not looked at. */
  #hasGivenUp = false;

  /** Counts one step of work; false when there is no more to spend. */
  spend(): boolean {
    return ++this.#steps <= MAX_STEPS;
  }

  /** True when the value fits. */
  accepts(node: SchemaNode, value: unknown): boolean {
    const list = new FaultList(1);
    this.check(node, value, { path: "", list });
    return list.faults.length === 0;
  }

  /** Adds the faults of a value at a path to a list. */
  check(
    node: SchemaNode,
    value: unknown,
    to: { path: string; list: FaultList },
  ): void {
    if (to.list.isDone) return;
    if (!this.spend() || this.#depth === MAX_DEPTH) {
      this.#hasGivenUp = true;
      to.list.add({ path: to.path, message: TOO_LARGE });
      return;
    }
    this.#depth++;
    this.#check(node, value, to);
    this.#depth--;
  }

  #check(
    node: SchemaNode,
    value: unknown,
    to: { path: string; list: FaultList },
  ): void {
    const { path, list } = to;
    if (node.isNever) {
      list.add({ path, message: "No value is allowed" });
      return;
    }
    const { types, members } = node;
    if (members && !members.some((member) => isSameJson(member, value))) {
      list.add(unexpected(value, { path, expected: expectedMembers(members) }));
      return;
    }
    if (types && !types.some((type) => hasType(value, type))) {
      const isNull = types.length === 1 && types[0] === "null";
      const expected = isNull
        ? expectedMembers([null])
        : { names: types, isMembers: false };
      list.add(unexpected(value, { path, expected }));
      return;
    }
    for (const { passes, message } of node.rules) {
      if (!passes(value)) list.add({ path, message });
    }
    if (Array.isArray(value)) this.#checkItems(node, value, to);
    else if (isObject(value)) this.#checkMembers(node, value, to);
    if (node.reference) this.check(node.reference, value, to);
    for (const part of node.allOf) this.check(part, value, to);
    if (node.anyOf) this.#checkUnion(node.anyOf, value, to);
    if (node.oneOf) this.#checkUnion(node.oneOf, value, { ...to, isOne: true });
    if (node.not && this.accepts(node.not, value)) {
      list.add({ path, message: "Must not match the schema in not" });
    }
    // The budget ran out, so `not` and `oneOf` cannot be decided.
    if ((node.not || node.oneOf) && this.#hasGivenUp) {
      list.add({ path, message: TOO_LARGE });
    }
  }

  #checkMembers(
    node: SchemaNode,
    value: Record<string, unknown>,
    { path, list }: { path: string; list: FaultList },
  ): void {
    for (const name of node.required) {
      if (!Object.hasOwn(value, name)) {
        list.add({
          path: join(path, name),
          message: "Expected required property",
        });
      }
    }
    for (const name of Object.keys(value)) {
      if (list.isDone) return;
      const nodes = memberNodes(node, name);
      if (nodes.length === 0) continue;
      const to = { path: join(path, name), list };
      for (const part of nodes) {
        if (part.isNever && part === node.additionalProperties) {
          list.add({ path: to.path, message: "Unknown property" });
        } else {
          this.check(part, value[name], to);
        }
      }
    }
  }

  #checkItems(
    node: SchemaNode,
    value: unknown[],
    { path, list }: { path: string; list: FaultList },
  ): void {
    if (!node.items && node.prefixItems.length === 0) return;
    for (let i = 0; i < value.length && !list.isDone; i++) {
      const part = node.prefixItems[i] ?? node.items;
      if (!part) return;
      this.check(part, value[i], { path: join(path, String(i)), list });
    }
  }

  #checkUnion(
    branches: readonly SchemaNode[],
    value: unknown,
    { path, list, isOne = false }: {
      path: string;
      list: FaultList;
      isOne?: boolean;
    },
  ): void {
    let matches = 0;
    for (const branch of branches) {
      if (!this.accepts(branch, value)) continue;
      if (!isOne) return;
      matches++;
    }
    if (matches === 1) return;
    if (matches > 1) {
      list.add({ path, message: "Expected to match only one schema of oneOf" });
    } else {
      for (const fault of this.#unionFaults(branches, value, path)) {
        list.add(fault);
      }
    }
  }

  /** The faults of the branch that was probably meant. */
  #unionFaults(
    branches: readonly SchemaNode[],
    value: unknown,
    path: string,
  ): Fault[] {
    const attempts = branches.map((branch) => {
      const list = new FaultList(MAX_UNION_FAULTS);
      this.check(branch, value, { path, list });
      return list;
    });
    const expectations = attempts.map((list) => expectedAt(list, path));
    const near = attempts.filter((_, i) => expectations[i] === undefined);
    if (near.length === 0) {
      return [unexpected(value, { path, expected: anyOf(expectations) })];
    }
    const best = near.reduce((a, b) => distance(b) < distance(a) ? b : a);
    // Where the branches differ in a constant, all that it may be are told.
    return best.faults.map((fault) => {
      const { path } = fault;
      const expected = anyOf(near.map((list) => expectedAt(list, path)));
      return expected.isMembers
        ? unexpected(undefined, { path, expected })
        : fault;
    });
  }
}

/** The schemas that apply to a member of an object. */
export function memberNodes(node: SchemaNode, name: string): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const known = node.properties.get(name);
  if (known) nodes.push(known);
  for (const { regex, node: part } of node.patternProperties) {
    if (regex.test(name)) nodes.push(part);
  }
  if (nodes.length === 0 && node.additionalProperties) {
    nodes.push(node.additionalProperties);
  }
  return nodes;
}

const TOO_LARGE = "Too deep or too large to be checked";
// About a tenth of a second.
const MAX_STEPS = 2_000_000;
/** Most nested calls; they take at most half of a stack of 1 MB. */
const MAX_DEPTH = 600;
const MAX_UNION_FAULTS = 20;
const MAX_NAMED_MEMBERS = 100;

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function unexpected(
  value: unknown,
  { path, expected }: { path: string; expected: Expected },
): Fault {
  const names = [...new Set(expected.names)];
  if (!expected.isMembers) {
    const message = `Expected ${names.join(" or ")}, got ${typeName(value)}`;
    return { path, message, expected };
  }
  const named = names.slice(0, MAX_NAMED_MEMBERS).join(", ");
  const more = names.length > MAX_NAMED_MEMBERS ? ", …" : "";
  const oneOf = names.length === 1 ? "" : "one of ";
  return { path, message: `Expected ${oneOf}${named}${more}`, expected };
}

function expectedMembers(members: readonly unknown[]): Expected {
  const names = members.map((member) => JSON.stringify(member));
  return { names, isMembers: true };
}

/** Type that a branch wants at a path, when the value there is of another kind. */
function expectedAt({ faults }: FaultList, path: string): Expected | undefined {
  return faults.find((fault) => fault.path === path)?.expected;
}

function anyOf(expectations: readonly (Expected | undefined)[]): Expected {
  return {
    names: expectations.flatMap((one) => one?.names ?? []),
    isMembers: expectations.every((one) => one?.isMembers === true),
  };
}

/** A wrong constant says more than any number of other faults. */
function distance({ faults, more }: FaultList): number {
  return faults.reduce(
    (sum, { expected }) => sum + (expected?.isMembers ? 100 : 1),
    more,
  );
}
