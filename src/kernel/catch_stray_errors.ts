import type { PluginHost } from "../plugin_host/plugin_host.ts";

/** Has plugins answer for their promises that nobody awaits and their timers that throw; they would end the kernel. */
export function catchStrayErrors(host: PluginHost): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (host.takeStray(event.reason)) event.preventDefault();
  });
  globalThis.addEventListener("error", (event) => {
    if (host.takeStray(event.error)) event.preventDefault();
  });
}
