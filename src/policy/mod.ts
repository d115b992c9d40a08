// The permission policy as data and pure decisions on it: roots, protected
// names, and which environment variables children inherit. It does no I/O and
// knows neither tools nor sandboxes.
export { childEnvironment } from "./environment.ts";
export {
  decideRead,
  decideWrite,
  isInside,
  PROTECTED_NAMES,
} from "./path_policy.ts";
export type { PathPolicy } from "./path_policy.ts";
