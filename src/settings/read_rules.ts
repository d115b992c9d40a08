import {
  parseRule,
  type PermissionRule,
  RuleError,
} from "../policy/permission_rule.ts";
import type { Settings } from "./settings.ts";
import { UsageError } from "./usage_error.ts";

const EFFECTS = ["deny", "allow", "ask"] as const;

/** The rules of a settings file. Throws {@linkcode UsageError} that names file and rule. */
export function readRules(
  permissions: Settings["permissions"],
  path: string,
): PermissionRule[] {
  return EFFECTS.flatMap((effect) =>
    (permissions?.[effect] ?? []).map((text) => {
      try {
        return parseRule(text, { effect, source: path });
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        throw new UsageError(
          `Wrong rule ${
            JSON.stringify(text.slice(0, 200))
          } in "permissions.${effect}" of ${
            JSON.stringify(path)
          }: ${error.message}`,
          { cause: error },
        );
      }
    })
  );
}
