import {
  closedRing,
  KERNEL_MESSAGES,
  pluginMessage,
} from "../../src/protocol/kernel_protocol.ts";
import {
  readableBlocks,
  readableMessage,
  tool,
  userContent,
} from "../../src/protocol/message_schemas.ts";
import { runProgram } from "../run_program.ts";
import { CheckWriter } from "./write_checks.ts";

/** The text of `src/protocol/checks.ts`. */
export async function makeChecks(): Promise<string> {
  const writer = new CheckWriter({
    UserContent: userContent,
    ConstrainedSampling: tool.properties.constrainedSampling,
    ReadableBlocks: readableBlocks,
    PluginMessage: pluginMessage,
    Ring: closedRing,
  });
  const fields = Object.entries(KERNEL_MESSAGES).map((
    [type, { fields }],
  ) => [type, fields]);
  const ofKernel = writer.messages(Object.fromEntries(fields));
  const ofTranscript = writer.check(readableMessage);
  const whole =
    `// Written by \`deno task checks\` from the schemas. A test compares them.

import type { KernelMessage, KernelMessageType } from "./kernel_protocol.ts";
import type { KernelPhase } from "./kernel_bounds.ts";
import type { Message } from "../model/message.ts";
import {
  anyOf, answer, by, fields, integer, is, isCount, isFlag, isNumber, isObject,
  isPresent, isText, list, maybe, number, only, record, text,
} from "./check_parts.ts";

${writer.declarations}

const fitsKernelMessage = ${ofKernel};

/** True for a KernelMessage. */
export function isKernelMessage(value: unknown): value is KernelMessage {
  return fitsKernelMessage(value);
}

/** True for a Message. */
export function isMessage(value: unknown): value is Message {
  return ${ofTranscript}(value);
}

${rules()}`;
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
