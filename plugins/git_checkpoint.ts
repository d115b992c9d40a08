/**
 * Keeps what the working tree looked like before each turn, so that a turn can
 * be undone. `/checkpoints` lists them; `git stash apply <commit>` brings one
 * back.
 *
 *     tau --plugin plugins/git_checkpoint.ts
 *
 * It writes commits beside the history: the tree, the index, the branch and
 * the stash list stay as they are. Files that git does not know are not kept.
 */
import type { PluginAPI, PluginContext } from "tau";

const ENTRY = "git_checkpoint";
/** `git stash create` makes commits, and the user may have no name in git. */
const IDENTITY = ["-c", "user.name=tau", "-c", "user.email=tau@localhost"];

export default function (tau: PluginAPI): void {
  let lastTree: string | undefined;

  tau.on("turn_start", async ({ turnIndex }, ctx) => {
    const commit = await git(ctx, ...IDENTITY, "stash", "create", "tau");
    // Nothing was changed, or there is no repository.
    if (!commit) return;
    const tree = await git(ctx, "rev-parse", `${commit}^{tree}`);
    if (tree === lastTree) return;
    lastTree = tree;
    const session = ctx.sessionManager.getSessionId();
    // A name keeps git from collecting it.
    await git(ctx, "update-ref", `refs/tau/${session}/${commit}`, commit);
    tau.appendEntry(ENTRY, { turnIndex, commit });
  });

  tau.registerCommand("checkpoints", {
    description: "list what the working tree looked like before each turn",
    handler(_args, ctx) {
      const lines = ctx.sessionManager.getEntries().flatMap((entry) => {
        if (entry.type !== "custom" || entry.customType !== ENTRY) return [];
        const { turnIndex, commit } = Object(entry.data);
        return [`turn ${turnIndex}: git stash apply ${commit}`];
      });
      ctx.ui.notify(lines.join("\n") || "No checkpoints yet");
    },
  });

  async function git(
    ctx: PluginContext,
    ...args: string[]
  ): Promise<string | undefined> {
    const { code, stdout } = await tau.exec("git", args, {
      ...(ctx.signal ? { signal: ctx.signal } : {}),
      timeoutMs: 10_000,
    });
    return code === 0 ? stdout.trim() : undefined;
  }
}
