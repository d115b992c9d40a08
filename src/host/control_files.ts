import type { ControlFileEvent } from "../protocol/event_schemas.ts";
import type { ControlFileReport } from "../protocol/result_schema.ts";
import {
  type ControlFilePlaces,
  type ControlFileScan,
  scanAll,
  scanTop,
} from "./control_file_scan.ts";
import {
  type ControlFileState,
  diffOf,
  isSameState,
  stateOf,
} from "./control_file_state.ts";

/** Milliseconds for one look at everything. */
const MAX_SCAN_MS = 400;
const MAX_CHANGES = 100;
/** By so much the times of files may lag. */
const CLOCK_MS = 20;

/**
 * Notices when files change that start programs or change permissions. Mounts
 * hold the ones that exist; those that come to be, and whole repositories, are
 * found by looking. Nothing is ever changed back.
 */
export class ControlFiles {
  readonly #places: ControlFilePlaces;
  readonly #startMs = Date.now();
  readonly #known = new Map<string, ControlFileState>();
  #first: ControlFileScan | undefined;
  /** By path; a change that was taken back stays. */
  #changes = new Map<string, Omit<ControlFileEvent, "type">>();
  #isPartial = false;
  /** Files at the top at the last look. */
  #top: ReadonlySet<string> = new Set();
  /** Resolves when it is known how everything was. */
  readonly ready: Promise<void>;
  /** One look at a time. */
  #queue: Promise<unknown>;

  /** Looks at how everything is, in the background. */
  constructor(places: ControlFilePlaces) {
    this.#places = places;
    this.ready = this.#remember();
    this.#queue = this.ready;
  }

  /** Returns the changes since the last look at the top of the roots and in the repository. */
  lookAtTop(): Promise<ControlFileEvent[]> {
    return this.#inTurn(async () => {
      const before = this.#top;
      this.#top = scanTop(this.#places);
      return await this.#compare(new Set([...before, ...this.#top]));
    });
  }

  /** Returns the changes anywhere since the last look. */
  lookAtAll(): Promise<ControlFileEvent[]> {
    return this.#inTurn(async () => {
      const { files, isPartial } = await scanAll(this.#places, MAX_SCAN_MS);
      this.#isPartial = isPartial || this.#first?.isPartial === true;
      for (const path of this.#known.keys()) files.add(path);
      return await this.#compare(files);
    });
  }

  /** All changes since the last report; undefined when there is nothing to say. */
  takeReport(): ControlFileReport | undefined {
    const changed = [...this.#changes.values()];
    this.#changes = new Map();
    if (changed.length === 0 && !this.#isPartial) return undefined;
    return this.#isPartial ? { changed, isPartial: true } : { changed };
  }

  #inTurn<Value>(look: () => Promise<Value>): Promise<Value> {
    const looked = this.#queue.then(look);
    this.#queue = looked.catch(() => {});
    return looked;
  }

  async #remember(): Promise<void> {
    this.#top = scanTop(this.#places);
    const scan = await scanAll(this.#places, MAX_SCAN_MS);
    for (const path of scan.files) {
      const state = await stateOf(path, undefined);
      if (state) this.#known.set(path, state);
    }
    this.#first = scan;
  }

  async #compare(paths: ReadonlySet<string>): Promise<ControlFileEvent[]> {
    const events: ControlFileEvent[] = [];
    for (const path of paths) {
      const before = this.#known.get(path);
      const after = await stateOf(path, before);
      if (after) this.#known.set(path, after);
      else this.#known.delete(path);
      if (isSameState(before, after) || this.#wasMissed(before, after)) {
        continue;
      }
      const event = await this.#change(path, before, after);
      if (this.#changes.size >= MAX_CHANGES && !this.#changes.has(path)) {
        this.#isPartial = true;
        continue;
      }
      const { type: _, ...change } = event;
      this.#changes.set(path, change);
      events.push(event);
    }
    return events;
  }

  /** True for a file that was there all the time, where the first look did not get to. */
  #wasMissed(
    before: ControlFileState | undefined,
    after: ControlFileState | undefined,
  ): boolean {
    if (before || !after || !this.#first?.isPartial) return false;
    return after.ctimeMs < this.#startMs - CLOCK_MS;
  }

  async #change(
    path: string,
    before: ControlFileState | undefined,
    after: ControlFileState | undefined,
  ): Promise<ControlFileEvent> {
    const diff = await diffOf(path, before, after);
    return {
      type: "control_file_changed",
      path,
      change: !after ? "removed" : before ? "changed" : "created",
      ...(diff === undefined ? {} : { diff }),
    };
  }
}
