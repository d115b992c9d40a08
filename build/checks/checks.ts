import { kernelMessageSchema } from "../../src/protocol/kernel_schemas.ts";
import { readableMessage } from "../../src/protocol/message_schemas.ts";
import { runProgram } from "../run_program.ts";
import { writeChecks } from "./write_checks.ts";

/** The text of `src/protocol/checks.ts`. */
export async function makeChecks(): Promise<string> {
  const text = writeChecks([
    {
      name: "KernelMessage",
      schema: kernelMessageSchema,
      from: "./kernel_schemas.ts",
    },
    { name: "Message", schema: readableMessage, from: "../model/message.ts" },
  ]);
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, text);
    await runProgram(Deno.execPath(), ["fmt", "--quiet", file]);
    return await Deno.readTextFile(file);
  } finally {
    await Deno.remove(file);
  }
}
