import type { RegexNode } from "./regex_syntax.ts";

/** What a backtracking search costs at worst: about `factor * length ** (degree + 1)` steps. */
export interface RegexCost {
  /** Infinite when the steps can double with each character. */
  factor: number;
  degree: number;
  /** Without look-around and backreferences. */
  regular: boolean;
}

/** Bounds the cost of a pattern from its form, rather too high than too low. */
export function regexCost(node: RegexNode): RegexCost {
  switch (node.type) {
    case "set":
    case "assertion":
      return { factor: 1, degree: 0, regular: true };
    case "sequence":
      return node.items.map(regexCost).reduce(
        (a, b) => ({
          factor: a.factor * b.factor,
          degree: a.degree + b.degree,
          regular: a.regular && b.regular,
        }),
        { factor: 1, degree: 0, regular: true },
      );
    case "alternatives":
      return node.items.map(regexCost).reduce((a, b) => ({
        factor: a.factor + b.factor,
        degree: Math.max(a.degree, b.degree),
        regular: a.regular && b.regular,
      }));
    case "repeat":
      return repeatCost(node);
    case "lookaround":
      return { ...regexCost(node.item), regular: false };
    case "backreference":
      return { factor: 1, degree: 1, regular: false };
  }
}

function repeatCost(
  { item, min, max }: Extract<RegexNode, { type: "repeat" }>,
): RegexCost {
  const cost = regexCost(item);
  const { regular } = cost;
  const hasChoice = cost.factor > 1 || cost.degree > 0;
  if (max === Infinity) {
    return hasChoice
      ? { factor: Infinity, degree: 0, regular }
      : { factor: Math.max(1, min), degree: 1, regular };
  }
  const ways = max - min + 1;
  return {
    factor: Math.max(1, max) * Math.max(1, ways * cost.factor ** max),
    degree: cost.degree * max,
    regular,
  };
}
