import type { JsonValue } from "../../model/content.ts";
import type { Dialog } from "../../protocol/kernel_protocol.ts";
import type { RunEvent } from "../../protocol/event_schemas.ts";
import type { RunResult } from "../../protocol/result_schema.ts";

/** The answer to a command. */
export interface RpcResponse {
  /** That of the command, where it had one. */
  id?: string | number;
  type: "response";
  /** Its type; `parse` for a line that is no command. */
  command: string;
  success: boolean;
  data?: JsonValue;
  /** The reason where it did not succeed. */
  error?: string;
}

/** A question to the user; `extension_ui_response` answers it. */
export interface RpcDialogRequest {
  type: "extension_ui_request";
  id: string;
  method: Dialog["kind"];
  title: string;
  message?: string;
  options?: string[];
  placeholder?: string;
  prefill?: string;
}

/** A line that `tau rpc` writes: responses, the events of runs, and a result at the end of each run. */
export type RpcLine = RpcResponse | RpcDialogRequest | RunEvent | RunResult;
