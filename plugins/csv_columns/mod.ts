/**
 * Describes the columns of a CSV file with a program in another language, AWK,
 * that lies beside this file: the arguments go to it as they are, what it
 * prints is the result, and an exit code other than 0 is an error.
 *
 *     tau --plugin plugins/csv_columns
 *
 * The program runs with the rights of the run, as commands of `bash` do.
 */
import { type PluginAPI, ToolError, Type } from "tau";

const PROGRAM = new URL("columns.awk", import.meta.url).pathname;

export default function (tau: PluginAPI): void {
  tau.registerTool({
    name: "csv_columns",
    label: "CSV columns",
    description:
      "Describes each column of a CSV file without quoted commas: its name, how many values it has, and the least and the largest where all are numbers.",
    promptSnippet: "Describe the columns of a CSV file",
    parameters: Type.Object({
      path: Type.String({ description: "The file" }),
    }),
    async execute(_toolCallId, { path }, signal) {
      // A name that begins with a dash is no option, one with = no assignment.
      const file = path.startsWith("/") ? path : `./${path}`;
      const { stdout, stderr, code } = await tau.exec(
        "awk",
        ["-f", decodeURIComponent(PROGRAM), "--", file],
        { signal, timeoutMs: 30_000 },
      );
      if (code !== 0) {
        throw new ToolError(`Cannot describe ${path}: ${stderr.trim()}`);
      }
      return { content: [{ type: "text", text: stdout }] };
    },
  });
}
