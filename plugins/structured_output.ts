/**
 * Ends a run with data in place of prose: the model calls `report`, whose
 * arguments are the answer, and is not asked again. `--output-format
 * stream-json` has the data in `result.structuredContent` of the call.
 *
 *     tau --plugin plugins/structured_output.ts -p "Review the last commit"
 */
import { type PluginAPI, Type } from "tau";

const report = Type.Object({
  summary: Type.String({ description: "One sentence" }),
  findings: Type.Array(
    Type.Object({
      file: Type.String(),
      line: Type.Integer({ minimum: 1 }),
      text: Type.String(),
    }),
    { maxItems: 100 },
  ),
});

export default function (tau: PluginAPI): void {
  tau.registerTool({
    name: "report",
    label: "Report",
    description:
      "Reports the outcome. Call it last, and alone: it ends the work.",
    promptSnippet: "Report the outcome as data",
    promptGuidelines: ["End with a call of report; write nothing after it."],
    parameters: report,
    outputSchema: report,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    execute: (_toolCallId, params) =>
      Promise.resolve({
        content: [{ type: "text", text: `Reported: ${params.summary}` }],
        structuredContent: params,
        terminate: true,
      }),
  });
}
