import {
  decideRead,
  decideWrite,
  isProtected,
  type PathPolicy,
} from "../policy/path_policy.ts";
import { PathRefusedError } from "./file_operations.ts";

/** Hears what was refused: to read, to write, or to write a protected name. */
export type RefusalListener = (access: "read" | "write" | "protected") => void;

/**
 * Asks the policy about real paths, throws `PathRefusedError` for what it
 * refuses, and tells of it. Far outside the roots Deno's own permissions refuse
 * before it is known where a path leads: that counts alike.
 */
export class PathRefusals {
  readonly #policy: PathPolicy | undefined;
  readonly #listen: RefusalListener;

  constructor(
    policy: PathPolicy | undefined,
    listen: RefusalListener = () => {},
  ) {
    this.#policy = policy;
    this.#listen = listen;
  }

  /** Tells of what Deno refused to follow. */
  note(error: unknown, access: "read" | "write"): void {
    if (error instanceof Deno.errors.NotCapable) this.#listen(access);
  }

  checkRead(realPath: string): void {
    const reason = this.#policy && decideRead(this.#policy, realPath);
    if (reason === undefined) return;
    this.#listen("read");
    throw new PathRefusedError(reason);
  }

  checkWrite(realPath: string): void {
    if (!this.#policy) return;
    const reason = decideWrite(this.#policy, realPath);
    if (reason === undefined) return;
    this.#listen(isProtected(this.#policy, realPath) ? "protected" : "write");
    throw new PathRefusedError(reason);
  }
}
