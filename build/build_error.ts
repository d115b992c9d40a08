/** Why something cannot be built, for whoever builds it: one line. */
export class BuildError extends Error {
  override name = "BuildError";
}
