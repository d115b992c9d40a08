import { BuildError } from "./build_error.ts";
import { type Codec, CODECS } from "./codec.ts";
import { ownTarget, type Target, TARGETS } from "./targets.ts";

/** What is built for whom. */
export interface BuildOptions {
  targets: readonly Target[];
  /** The machines were named, and so are the files. */
  isNamed: boolean;
  codec: Codec;
  /** Nothing but the bundle. */
  bundleOnly: boolean;
}

/** The options of `deno task build`. */
export const USAGE = `deno task build [--target NAME]… [--codec NAME] [--bundle]
  --target NAME  ${TARGETS.map(({ name }) => name).join(", ")} or all;
                 default: this machine
  --codec NAME   ${CODECS.join(", ")}; how tau-portable is packed; default: gzip
  --bundle       make nothing but the bundle in dist/app
`;

/** Understands the arguments. Throws a {@linkcode BuildError}. */
export function parseBuildOptions(args: readonly string[]): BuildOptions {
  const targets: Target[] = [];
  let codec: Codec = "gzip";
  let bundleOnly = false;
  const words = args.flatMap((arg) =>
    arg.startsWith("--") && arg.includes("=")
      ? [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]
      : [arg]
  );
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    switch (word) {
      case "--target":
        targets.push(...targetsOf(words.shift()));
        break;
      case "--codec":
        codec = oneOf(CODECS, words.shift(), "codec");
        break;
      case "--bundle":
        bundleOnly = true;
        break;
      default:
        throw new BuildError(`Unknown argument "${word}"\n${USAGE}`);
    }
  }
  const isNamed = targets.length > 0;
  return {
    targets: isNamed ? [...new Set(targets)] : [ownTarget()],
    isNamed,
    codec,
    bundleOnly,
  };
}

function targetsOf(name: string | undefined): readonly Target[] {
  if (name === "all") return TARGETS;
  const known = oneOf(TARGETS.map((target) => target.name), name, "target");
  return TARGETS.filter((target) => target.name === known);
}

function oneOf<Name extends string>(
  names: readonly Name[],
  name: string | undefined,
  what: string,
): Name {
  const known = names.find((known) => known === name);
  if (known !== undefined) return known;
  throw new BuildError(
    `Unknown ${what} "${name ?? ""}"; known are ${names.join(", ")}`,
  );
}
