import type { KernelLaunch } from "../../src/host/kernel_program.ts";
import type { Ring } from "../escape/attack.ts";
import type { LaunchChange } from "../escape/launch_change.ts";

/** Which rings stand around a kernel. */
export interface RingSetting {
  rings: readonly Ring[];
  /** What one of them lacks: the name of a mutation. */
  mutation?: string | undefined;
}

/** The launch with only some of its rings. The ring of the file tools is code: that is changed by changed modules. */
export function withRings(
  launch: KernelLaunch,
  rings: readonly Ring[],
  { change = {}, env }: {
    change: LaunchChange | undefined;
    env: Record<string, string>;
  },
): KernelLaunch {
  const has = (ring: Ring) => rings.includes(ring);
  const same = <Value>(value: Value) => value;
  const { flags = same, command = same, environment = same } = change;
  const none = launch.flags.filter((flag) => !/^--(allow|deny)-/.test(flag));
  return {
    ...launch,
    policy: has("host") && !change.opensFetch
      ? launch.policy
      : { ...launch.policy, net: "all" },
    flags: has("flags") ? flags(launch.flags) : ["-A", ...none],
    environment: has("environment")
      ? environment(launch.environment, env)
      : { ...env, ...launch.environment },
    confine: (words) =>
      has("sandbox") ? command(launch.confine(words)) : [...words],
  };
}
