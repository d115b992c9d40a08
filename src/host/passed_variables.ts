import type { ProviderSettings } from "../settings/settings.ts";
import { UsageError } from "../settings/usage_error.ts";
import { knownProviders } from "./known_providers.ts";

/** The variables that commands may see besides, checked: a key of tau's own is none of them. Throws {@linkcode UsageError}. */
export function passedVariables(
  names: readonly string[] = [],
  providers: Record<string, ProviderSettings> | undefined,
): readonly string[] {
  if (names.length === 0) return names;
  const keys = new Set(
    knownProviders(providers).flatMap(({ keyEnv, otherKeyEnv }) => [
      keyEnv,
      otherKeyEnv,
    ]),
  );
  const wrong = names.find((name) => keys.has(name) || /^TAU_/i.test(name));
  if (wrong === undefined) return names;
  throw new UsageError(
    `Cannot use --pass-env ${wrong}: it belongs to tau, and commands never see it`,
  );
}
