import type { Need, Row } from "../escape/attack.ts";
import { otherAddress } from "./escape_bait.ts";

/** The rows that can be tried on this machine and as this user. */
export function triable(rows: readonly Row[]): Row[] {
  return rows.filter(({ attack: { needs } }) => !needs || hasNeed(needs));
}

/** Whether this machine, and this user, has something. */
export function hasNeed(needs: Need): boolean {
  if (needs === "root") return Deno.uid() === 0;
  if (needs === "another address") return otherAddress() !== undefined;
  return Deno.networkInterfaces().some(({ address }) => address === "::1");
}

/** Whether there is a sandbox at all, and what there is besides. */
export const MACHINE = machineFacts();

/** A test that needs a sandbox. Without one it is ignored, and `attacks_test.ts` fails and says why. */
export const attackTest: typeof Deno.test.ignore = MACHINE.isSandboxed
  ? Deno.test
  : Deno.test.ignore;

function machineFacts(): { isSandboxed: boolean; description: string } {
  const version = printed("bwrap", ["--version"]);
  const inside = printed("bwrap", [
    ...["--unshare-all", "--ro-bind", "/", "/", "echo", "inside"],
  ]);
  const user = Deno.uid() === 0 ? "root" : "an ordinary user";
  return {
    isSandboxed: inside === "inside",
    description:
      `Linux ${Deno.osRelease()} ${Deno.build.arch}, ${version}, ${user}`,
  };
}

function printed(command: string, args: string[]): string {
  try {
    const { stdout } = new Deno.Command(command, { args, stderr: "null" })
      .outputSync();
    return new TextDecoder().decode(stdout).trim();
  } catch {
    return "no bubblewrap";
  }
}
