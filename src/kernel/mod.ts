// Runs a session inside the sandbox: composes tools, operations and the loop,
// and speaks the protocol with the host. It knows no key, no provider and no
// terminal.
export { composeSession } from "./compose_session.ts";
export { composeTools, UnknownToolError } from "./compose_tools.ts";
export { createAgentSession } from "./create_agent_session.ts";
export type {
  CreateAgentSessionOptions,
  EmbeddedSession,
} from "./create_agent_session.ts";
export type {
  LocalServices,
  LocalSessionEvent,
  LocalSessionListener,
} from "./local_channel.ts";
export { HostChannel } from "./host_channel.ts";
export { runKernel } from "./run_kernel.ts";
export type { KernelServices } from "./services.ts";
