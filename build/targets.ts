/** A machine that tau can be built for. */
export interface Target {
  /** As in the names of files and in `--target`. */
  name: string;
  /** Deno's name for it. */
  triple: string;
  /** The npm package that holds Deno's program for it. */
  npmPackage: string;
  /** There is a POSIX shell, so that the portable form can start. */
  hasShell: boolean;
}

/** All of them. Deno's builds for Linux need glibc. */
export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    triple: "x86_64-unknown-linux-gnu",
    npmPackage: "@deno/linux-x64-glibc",
    hasShell: true,
  },
  {
    name: "linux-arm64",
    triple: "aarch64-unknown-linux-gnu",
    npmPackage: "@deno/linux-arm64-glibc",
    hasShell: true,
  },
  {
    name: "macos-x64",
    triple: "x86_64-apple-darwin",
    npmPackage: "@deno/darwin-x64",
    hasShell: true,
  },
  {
    name: "macos-arm64",
    triple: "aarch64-apple-darwin",
    npmPackage: "@deno/darwin-arm64",
    hasShell: true,
  },
  {
    name: "windows-x64",
    triple: "x86_64-pc-windows-msvc",
    npmPackage: "@deno/win32-x64",
    hasShell: false,
  },
  {
    name: "windows-arm64",
    triple: "aarch64-pc-windows-msvc",
    npmPackage: "@deno/win32-arm64",
    hasShell: false,
  },
];

/** The machine that builds. */
export function ownTarget(): Target {
  const { target } = Deno.build;
  const own = TARGETS.find(({ triple }) => triple === target);
  if (!own) throw new Error(`Cannot build on ${target}`);
  return own;
}
