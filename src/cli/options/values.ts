import type { NetPolicy } from "../../policy/net_policy.ts";
import {
  COMMAND_LINE,
  parseRule,
  type PermissionRule,
} from "../../policy/permission_rule.ts";

/** A kind of value that an option takes. */
export interface Value<Type> {
  /** Throws an error that says what is expected. */
  parse(text: string): Type;
  /** Placeholder in the help, such as `N`. */
  name: string;
  /** A right value, for messages. */
  example: string;
  /** Proposals of a shell: some words, files, folders, or none. */
  offer: readonly string[] | "file" | "folder" | "none";
}

/** One of some words. */
export function oneOf<const Word extends string>(
  name: string,
  words: readonly Word[],
): Value<Word> {
  return {
    name,
    example: words.join("|"),
    offer: words,
    parse: (text) =>
      words.find((word) => word === text) ??
        expected(`one of ${words.join(", ")}`),
  };
}

/** Text that fits a pattern; `wanted` names what fits. */
export function text(
  name: string,
  { fits = /^/, wanted = "", example = name, offer = "none" }: {
    fits?: RegExp;
    wanted?: string;
    example?: string;
    offer?: "file" | "folder" | "none";
  } = {},
): Value<string> {
  const parse = (text: string) => fits.test(text) ? text : expected(wanted);
  return { name, example, offer, parse };
}

/** A path: any text without a zero byte. */
export function path(name: "FILE" | "DIR" | "PATH"): Value<string> {
  return text(name, {
    fits: /^[^\0]+$/,
    wanted: "a path",
    example: name === "PATH" ? "FILE" : name,
    offer: name === "DIR" ? "folder" : "file",
  });
}

/** A whole number. */
export function count(
  { min, max, example }: { min: number; max: number; example: string },
): Value<number> {
  return number("N", {
    digits: /^\d{1,7}$/,
    min,
    max,
    example,
    wanted: `a whole number from ${min} to ${max}`,
  });
}

/** A number between bounds; `digits` is how it is written. */
export function number(
  name: string,
  { digits, min, max, wanted, example }: {
    digits: RegExp;
    min: number;
    max: number;
    wanted: string;
    example: string;
  },
): Value<number> {
  return {
    name,
    example,
    offer: "none",
    parse(text) {
      const value = digits.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : expected(wanted);
    },
  };
}

/** Names separated by commas, each once. */
export function names(
  { fits, example, like = example }: {
    fits: RegExp;
    example: string;
    /** The example of the message about wrong names. */
    like?: string;
  },
): Value<string[]> {
  return {
    name: "NAMES",
    example,
    offer: "none",
    parse(text) {
      const names = [...new Set(text.split(",").map((name) => name.trim()))];
      return names.every((name) => fits.test(name))
        ? names
        : expected(`names between commas, such as ${like}`);
    },
  };
}

const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Timers hold no more than 2^31 ms. */
const MAX_MS = 500 * 3_600_000;

/** Milliseconds of `90`, `90s`, `1.5m`, `2h`, up to 500 hours. */
export const duration: Value<number> = {
  name: "TIME",
  example: "300",
  offer: "none",
  parse(text) {
    const [, digits, unit = "s"] =
      /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h)?$/.exec(text) ?? [];
    const ms = Math.round(Number(digits) * (UNIT_MS[unit] ?? 0));
    return ms > 0 && ms <= MAX_MS
      ? ms
      : expected("seconds, or a number and a unit, such as 300, 90s, 5m, 1h");
  },
};

/** A name, an IPv4 address or an IPv6 one in brackets, as addresses have them. */
const HOST =
  /^(?:(?:\*\.)?[a-z\d_](?:[a-z\d_.-]*[a-z\d_.])?|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/;
const MAX_PORT = 65_535;

/** Stands for all hosts. */
export const ALL_HOSTS = "*";

/** Hosts separated by commas, or {@linkcode ALL_HOSTS}. */
export const hosts: Value<NetPolicy> = {
  name: "HOSTS",
  example: "example.com",
  offer: "none",
  parse(text) {
    if (text === ALL_HOSTS) return "all";
    const hosts = text.split(",").map((host) => host.trim().toLowerCase());
    const isRight = (host: string) => {
      const port = Number(HOST.exec(host)?.groups?.port ?? 1);
      return HOST.test(host) && port > 0 && port <= MAX_PORT;
    };
    return hosts.every(isRight)
      ? hosts
      : expected("hosts between commas, such as example.com");
  },
};

/** A rule about tool calls. */
export function rule(
  effect: "allow" | "deny",
  example: string,
): Value<PermissionRule> {
  return {
    name: "RULE",
    example,
    offer: "none",
    parse: (text) => parseRule(text, { effect, source: COMMAND_LINE }),
  };
}

/** `NAME`, or `NAME=VALUE`: an option of a plugin. */
export const pluginFlag: Value<{ name: string; value: string | true }> = {
  name: "NAME[=VALUE]",
  example: "NAME=VALUE",
  offer: "none",
  parse(text) {
    const [, name, value = true] =
      /^([A-Za-z0-9][\w:-]{0,63})(?:=([^]*))?$/.exec(text) ?? [];
    return name === undefined
      ? expected("NAME or NAME=VALUE")
      : { name, value };
  },
};

function expected(what: string): never {
  throw new Error(`expected ${what}`);
}
