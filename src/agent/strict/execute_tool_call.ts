import type { JsonObject, ToolCall } from "../../model/content.ts";
import {
  ToolArgumentsError,
  validateToolArguments,
} from "../../model/validate_arguments.ts";
import { untilAborted } from "../abort.ts";
import type { AgentTool } from "../agent_tool.ts";
import { isNonRecoverableToolError } from "../non_recoverable_tool_error.ts";
import { isObject, readOwn, readOwnData } from "./read_own.ts";
import { errorContent, MAX_CONTENT_CHARACTERS, safeText } from "./safe_json.ts";
import type {
  RegistrableTool,
  StrictTool,
  StrictToolContext,
} from "./snapshot_tool.ts";
import { ToolContractError } from "./tool_contract_error.ts";
import type { ToolRegistry } from "./tool_registry.ts";

/** In a text of more UTF-16 units there are too many code points for sure. */
const MAX_UNITS = 2 * MAX_CONTENT_CHARACTERS;

/** The reason why a call has an error result. */
export type ToolCallFailureCode =
  | "TOOL_NOT_FOUND"
  | "TOOL_ARGUMENTS_INVALID"
  | "TOOL_VALIDATION_FAILED"
  | "TOOL_EXECUTION_FAILED"
  | "TOOL_OUTPUT_SERIALIZATION_FAILED";

/** The outcome of a call. Frozen. */
export interface ToolCallResult {
  /** `tool-result-` and the id of the call. */
  readonly id: string;
  /** The id of the call, as it was given. */
  readonly toolCallId: string;
  /** The name that the call asked for, also where there is no such tool. */
  readonly toolName: string;
  /** True when the model hears of a failure. */
  readonly isError: boolean;
  /** At most 4,096 code points. Of an error: `{"error":{"code":"…","message":"…"}}`. */
  readonly content: string;
}

/** The part of a {@linkcode ToolCall} that `executeToolCall()` needs. */
export type ExecutableToolCall = Pick<
  ToolCall,
  "id" | "name" | "arguments" | "argumentsError"
>;

/**
 * Runs one call for a host without a loop, trusting neither the call, nor the
 * tool, nor its output: copy, find, validate, execute, serialise. Hooks and
 * progress belong to the loop.
 *
 * Every failure of the tool is a result. It rejects with the signal's reason
 * when an abort comes before the result, whatever else happened; with a
 * {@linkcode ToolContractError} for a malformed call; and with the
 * `NonRecoverableToolError` that a tool threw.
 */
export async function executeToolCall(
  registry: ToolRegistry,
  call: ExecutableToolCall,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolCallResult> {
  signal.throwIfAborted();
  const copy = copyCall(call);
  signal.throwIfAborted();
  const tool = registry.get(copy.name);
  if (!tool) return failure(copy, "TOOL_NOT_FOUND", "There is no such tool");

  const prepared = prepare(tool, copy);
  signal.throwIfAborted();
  if (!prepared.ok) return failure(copy, prepared.code, prepared.message);

  let returned: unknown;
  try {
    const context = Object.freeze({ signal, toolCallId: copy.id });
    returned = await untilAborted(start(prepared.run, context), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isNonRecoverableToolError(error)) throw error;
    return failure(copy, "TOOL_EXECUTION_FAILED", thrownText(error));
  }
  signal.throwIfAborted();
  const result = await toResult(copy, tool, returned);
  signal.throwIfAborted();
  return result;
}

/** The call as it is now, since its owner may change it while it runs. */
function copyCall(call: unknown): ExecutableToolCall {
  try {
    if (!isObject(call)) throw new TypeError("The call is not an object");
    const copy = {
      id: readOwn(call, "id"),
      name: readOwn(call, "name"),
      arguments: structuredClone(readOwn(call, "arguments")),
      argumentsError: readOwn(call, "argumentsError"),
    };
    if (!isCall(copy)) throw new TypeError("A field is missing or no text");
    return copy;
  } catch (cause) {
    // The clone refuses functions and proxies; getters may throw anything.
    throw new ToolContractError(
      "INVALID_TOOL_CALL",
      "A tool call needs an id, a name and arguments that are plain data",
      { cause },
    );
  }
}

function isCall(
  call: { [Field in keyof ExecutableToolCall]?: unknown },
): call is ExecutableToolCall {
  const { id, name, arguments: args, argumentsError } = call;
  return typeof id === "string" && id !== "" &&
    typeof name === "string" && name !== "" &&
    args !== undefined &&
    (argumentsError === undefined || typeof argumentsError === "string");
}

type PreparedExecution =
  | { ok: true; run(context: StrictToolContext): unknown }
  | { ok: false; code: ToolCallFailureCode; message: string };

function prepare(
  tool: RegistrableTool,
  call: ExecutableToolCall,
): PreparedExecution {
  if (call.argumentsError !== undefined) return refused(call.argumentsError);
  try {
    return "validate" in tool
      ? prepareStrict(tool, call)
      : prepareAgentTool(tool, call);
  } catch (error) {
    const message = thrownText(error);
    return { ok: false, code: "TOOL_VALIDATION_FAILED", message };
  }
}

function prepareStrict(
  tool: StrictTool,
  { arguments: args }: ExecutableToolCall,
): PreparedExecution {
  const decision: unknown = tool.validate(args);
  refusePromise(decision);
  if (isObject(decision)) {
    const ok = readOwn(decision, "ok");
    if (ok === true && Object.hasOwn(decision, "value")) {
      const value = readOwn(decision, "value");
      return { ok, run: (context) => tool.execute(value, context) };
    }
    const error = ok === false ? readOwn(decision, "error") : undefined;
    if (typeof error === "string") return refused(error);
  }
  throw new TypeError("The validator returned no decision");
}

function prepareAgentTool(
  tool: AgentTool,
  call: ExecutableToolCall,
): PreparedExecution {
  const prepared = tool.prepareArguments?.(structuredClone(call.arguments));
  refusePromise(prepared);
  let args: JsonObject;
  try {
    args = validateToolArguments(tool, call, prepared);
  } catch (error) {
    if (error instanceof ToolArgumentsError) return refused(error.message);
    throw error;
  }
  return { ok: true, run: ({ signal }) => tool.execute(call.id, args, signal) };
}

function refused(message: string): PreparedExecution {
  return { ok: false, code: "TOOL_ARGUMENTS_INVALID", message };
}

/** Throws for a promise, whose rejection then has an owner, and for a thenable, which is not started. */
function refusePromise(value: unknown): void {
  if (!isObject(value) && typeof value !== "function") return;
  let isPromise = true;
  try {
    // Throws for anything else, whatever the value says of itself.
    Promise.prototype.then.call(value, () => {}, () => {});
  } catch {
    isPromise = typeof Reflect.get(value, "then") === "function";
  }
  if (isPromise) throw new TypeError("The validator returned a promise");
}

/** A promise of this realm, whatever the tool returns or throws. */
async function start(
  run: (context: StrictToolContext) => unknown,
  context: StrictToolContext,
): Promise<unknown> {
  return await run(context);
}

async function toResult(
  call: ExecutableToolCall,
  tool: RegistrableTool,
  returned: unknown,
): Promise<ToolCallResult> {
  // Its price is 1 ms at start; nobody else needs it.
  const { isProxy } = await import("node:util/types");
  let output = returned;
  let isError = false;
  let content: string;
  try {
    if (!("validate" in tool)) {
      if (!isObject(returned) || isProxy(returned)) {
        throw new TypeError("The output is not a tool result");
      }
      output = textOfContent(readOwnData(returned, "content"), isProxy);
      isError = readOwnData(returned, "isError") === true;
    }
    content = safeText(output, isProxy);
  } catch (error) {
    return failure(call, "TOOL_OUTPUT_SERIALIZATION_FAILED", thrownText(error));
  }
  return isError
    ? failure(call, "TOOL_EXECUTION_FAILED", content)
    : resultOf(call, { isError, content });
}

/** The content of an {@linkcode AgentTool}'s result as one text where it is text throughout; details are not for the model. */
function textOfContent(
  content: unknown,
  isProxy: (value: unknown) => boolean,
): unknown {
  if (!isObject(content) || isProxy(content) || !Array.isArray(content)) {
    return content;
  }
  const texts: string[] = [];
  let length = 0;
  // Text past the limit would be cut off again.
  for (let i = 0; i < content.length && length <= MAX_UNITS; i++) {
    const block = readOwnData(content, i);
    if (!isObject(block) || isProxy(block)) return content;
    const text = readOwnData(block, "text");
    if (readOwnData(block, "type") !== "text" || typeof text !== "string") {
      return content;
    }
    texts.push(text);
    length += text.length + 1;
  }
  return texts.join("\n");
}

/** The text of a thrown value; no getter of the tool's is called for it. */
function thrownText(thrown: unknown): string {
  const message = isObject(thrown) ? messageOf(thrown) : thrown;
  return typeof message === "string" && message !== ""
    ? message
    : "The tool failed and did not say why";
}

const domMessage = Object.getOwnPropertyDescriptor(
  DOMException.prototype,
  "message",
)?.get;

function messageOf(thrown: object): unknown {
  try {
    // Only a DOMException has no message of its own.
    return readOwnData(thrown, "message") ?? domMessage?.call(thrown);
  } catch {
    // No DOMException, or a proxy that was revoked or whose trap throws.
    return undefined;
  }
}

function failure(
  call: ExecutableToolCall,
  code: ToolCallFailureCode,
  message: string,
): ToolCallResult {
  return resultOf(call, {
    isError: true,
    content: errorContent(code, message),
  });
}

function resultOf(
  { id, name }: ExecutableToolCall,
  outcome: Pick<ToolCallResult, "isError" | "content">,
): ToolCallResult {
  return Object.freeze({
    id: `tool-result-${id}`,
    toolCallId: id,
    toolName: name,
    ...outcome,
  });
}
