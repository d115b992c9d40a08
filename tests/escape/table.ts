import type { Attack } from "./attack.ts";
import { CODE } from "./table/code.ts";
import { CONTROL_FILES } from "./table/control_files.ts";
import { LINKS } from "./table/links.ts";
import { NETWORK } from "./table/network.ts";
import { PATHS } from "./table/paths.ts";
import { PROCESSES, VARIABLES } from "./table/processes.ts";
import { SECRETS } from "./table/secrets.ts";
import { SYSTEM_CALLS } from "./table/system_calls.ts";

/** All attacks of the table. */
export const ATTACKS: readonly Attack[] = [
  ...LINKS,
  ...PATHS,
  ...SECRETS,
  ...VARIABLES,
  ...NETWORK,
  ...SYSTEM_CALLS,
  ...PROCESSES,
  ...CONTROL_FILES,
  ...CODE,
];
