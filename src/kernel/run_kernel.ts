import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { loadImplementations } from "../tools/factories.ts";
import { giveUpPermissions } from "./give_up_permissions.ts";
import { openHostLink } from "./host_link.ts";
import { serve } from "./serve.ts";

/**
 * Serves one host over stdin and stdout and resolves when it is gone. `more`
 * are tools beside the built-in ones.
 */
export async function runKernel(
  more: readonly AnyToolDefinition[] = [],
): Promise<void> {
  if (Deno.build.standalone) giveUpPermissions(Deno.args);
  const link = await openHostLink();
  // A host that says nothing wants all of it compiled.
  if (link) await serve(link, { more });
  else {await Promise.all([
      loadImplementations(),
      import("./plugin_session.ts"),
    ]);}
}
