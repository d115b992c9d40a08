import type { KernelSetup } from "../protocol/kernel_messages.ts";
import type { KernelMessage } from "../protocol/kernel_protocol.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import type { HostRequests } from "./host_requests.ts";

/** Parts of a kernel that its plugins are joined with. */
export interface KernelParts {
  setup: KernelSetup;
  token: string | undefined;
  requests: HostRequests;
  factories: ToolFactories;
  /** The built-in tools. */
  builtIn: readonly AnyToolDefinition[];
  /** Tools that the program brings beside them. */
  more: readonly AnyToolDefinition[];
  send(message: KernelMessage): Promise<void>;
}
