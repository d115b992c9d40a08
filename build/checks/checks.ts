import {
  KERNEL_MESSAGES,
  kernelMessageSchema,
} from "../../src/protocol/kernel_protocol.ts";
import { readableMessage } from "../../src/protocol/message_schemas.ts";
import { runProgram } from "../run_program.ts";
import { writeChecks } from "./write_checks.ts";

/** The text of `src/protocol/checks.ts`. */
export async function makeChecks(): Promise<string> {
  const text = writeChecks([
    {
      name: "KernelMessage",
      schema: kernelMessageSchema,
      from: "./kernel_protocol.ts",
    },
    { name: "Message", schema: readableMessage, from: "../model/message.ts" },
  ]);
  const whole = text.replace(
    'import type { KernelMessage } from "./kernel_protocol.ts";',
    `import type { KernelMessage, KernelMessageType } from "./kernel_protocol.ts";
import type { KernelPhase } from "./kernel_bounds.ts";`,
  ) + rules();
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, whole);
    await runProgram(Deno.execPath(), ["fmt", "--quiet", file]);
    return await Deno.readTextFile(file);
  } finally {
    await Deno.remove(file);
  }
}

/** The columns of the table beside the fields, so that nobody loads a schema for them. */
function rules(): string {
  const rows = Object.entries(KERNEL_MESSAGES).map(([type, row]) => {
    const { fields: _, ...others } = row as { fields: unknown };
    return [type, others];
  });
  return `/** When each kind of message may come, and how often in ten seconds. */
export const KERNEL_RULES: Record<KernelMessageType, KernelRule> = ${
    JSON.stringify(Object.fromEntries(rows))
  };

/** When a kind of message may come, and how often. */
export interface KernelRule {
  phases: readonly KernelPhase[];
  maxInTenSeconds?: number;
}
`;
}
