import type { DeltaWriter } from "../delta_writer.ts";
import {
  argumentsText,
  asRecord,
  asText,
  type JsonRecord,
} from "../json_value.ts";
import type { ToolCallIds } from "../tool_call_ids.ts";

/** A call that is being received. */
interface OpenCall {
  /** The server's id, as it came; ours may differ. */
  wireId?: string | undefined;
  name?: string | undefined;
  /** Set once the call was announced. */
  contentIndex?: number;
  /** Arguments that came before the name. */
  early: string;
  /** The last piece of arguments. */
  tail: string;
}

/**
 * Puts the pieces of tool calls together. Servers name the call of a piece in
 * different ways:
 *
 * | piece has | it belongs to |
 * |---|---|
 * | an index | the call of that index |
 * | an id only | the call of that id, else a new one |
 * | a name only | a new call |
 * | neither | the latest call |
 *
 * But a piece that cannot continue its call begins a new one: it has another
 * id, another name, or names itself again and starts a second JSON object.
 * Arguments alone continue a call even under another id, since some servers
 * make up an id for each piece. A call without an id gets one; a name that
 * comes late is waited for.
 */
export class CompletionsCalls {
  #out: DeltaWriter;
  #ids: ToolCallIds;
  #calls: OpenCall[] = [];
  #byIndex = new Map<number, OpenCall>();
  #byId = new Map<string, OpenCall>();

  constructor(out: DeltaWriter, ids: ToolCallIds) {
    this.#out = out;
    this.#ids = ids;
  }

  /** Takes one entry of `tool_calls`. */
  add(entry: JsonRecord): void {
    const made = asRecord(entry.function) ?? {};
    const piece = {
      id: asText(entry.id),
      name: asText(made.name),
      text: argumentsText(made.arguments),
    };
    const index = typeof entry.index === "number" ? entry.index : undefined;
    let call = this.#find(index, piece);
    if (!call || beginsAnother(call, piece)) {
      call = { early: "", tail: "" };
      this.#calls.push(call);
    }
    if (index !== undefined) this.#byIndex.set(index, call);
    if (piece.id !== undefined) this.#byId.set(piece.id, call);
    call.wireId ??= piece.id;
    call.name ??= piece.name;
    if (piece.text !== "") call.tail = piece.text;
    if (call.name === undefined) call.early += piece.text;
    else this.#send(call, piece.text);
  }

  /** Ends all calls; returns their number. */
  end(): number {
    let count = 0;
    for (const call of this.#calls) {
      // An entry without name, id and arguments is no call.
      if (!call.name && !call.wireId && !call.early) continue;
      this.#send(call, "");
      this.#out.push({
        type: "toolcall_end",
        contentIndex: call.contentIndex as number,
      });
      count++;
    }
    return count;
  }

  #find(
    index: number | undefined,
    { id, name }: { id?: string | undefined; name?: string | undefined },
  ): OpenCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    if (id !== undefined) return this.#byId.get(id);
    return name === undefined ? this.#calls.at(-1) : undefined;
  }

  #send(call: OpenCall, text: string): void {
    if (call.contentIndex === undefined) {
      call.contentIndex = this.#out.nextIndex();
      this.#out.push({
        type: "toolcall_start",
        contentIndex: call.contentIndex,
        id: this.#ids.give(call.wireId ?? ""),
        toolName: call.name ?? "",
      });
      text = call.early + text;
    }
    const { contentIndex } = call;
    this.#out.push({ type: "toolcall_delta", contentIndex, delta: text });
  }
}

function beginsAnother(
  call: OpenCall,
  piece: { id?: string | undefined; name?: string | undefined; text: string },
): boolean {
  const restarts = /\}\s*$/.test(call.tail) && /^\s*\{/.test(piece.text);
  if (piece.id && call.wireId && piece.id !== call.wireId) {
    const isArguments = !piece.name && piece.text !== "";
    return !call.name || !isArguments || restarts;
  }
  if (!piece.name || !call.name) return false;
  return piece.name !== call.name || restarts;
}
