const KINDS = [
  "read",
  "write",
  "run",
  "env",
  "net",
  "ffi",
  "sys",
  "import",
] as const;

/**
 * Gives up the kinds of permissions of which Deno's `flags` grant nothing: a
 * kernel of a compiled program is started with all of them, whatever its
 * arguments. Nothing less than a kind can be given up, so paths are fenced by
 * the operations of the tools and by the sandbox alone, and facts about the
 * machine, such as its name, are open. There is no way back:
 * with `--no-prompt` nobody is asked.
 */
export function giveUpPermissions(flags: readonly string[]): void {
  for (const name of KINDS) {
    const flag = `--allow-${name}`;
    if (!flags.some((word) => word === flag || word.startsWith(`${flag}=`))) {
      Deno.permissions.revokeSync({ name });
    }
  }
}
