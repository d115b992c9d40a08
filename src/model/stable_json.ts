/** JSON whose members stand in the order of their names; without those that are undefined. */
export function stableJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(
          Object.entries(item).sort(([a], [b]) => a < b ? -1 : 1),
        )
        : item,
  );
}
