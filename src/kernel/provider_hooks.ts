import type { JsonObject } from "../model/content.ts";
import type { PluginHooks } from "../plugin_host/plugin_hooks.ts";
import type { ProviderHook } from "../protocol/kernel_messages.ts";
import type { HostChannel } from "./host_channel.ts";

/** Hooks of plugins on the host's requests. Only steps that one of them hears cross to the kernel. */
export function providerHooks(
  plugins: PluginHooks,
): Parameters<HostChannel["hookProvider"]>[0] {
  return {
    wanted() {
      const wanted: ProviderHook[] = [];
      if (plugins.has("before_provider_headers")) wanted.push("headers");
      if (plugins.has("before_provider_request")) wanted.push("request");
      if (plugins.has("after_provider_response")) wanted.push("response");
      return wanted;
    },
    async run(hook, value): Promise<JsonObject | undefined> {
      switch (hook) {
        case "headers":
          return await plugins.providerHeaders(value as Record<string, string>);
        case "request": {
          const sent = await plugins.providerRequest(value);
          return sent === value ? undefined : sent;
        }
        case "response":
          await plugins.notify({
            type: "after_provider_response",
            status: Number(value.status),
            headers: value.headers as Record<string, string>,
          });
          return undefined;
      }
    },
  };
}
