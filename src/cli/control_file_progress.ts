import type { ControlFileEvent } from "../protocol/event_schemas.ts";

/** What people are told of a changed control file: a line, and the patch. Not made safe for a terminal. */
export function controlFileLines(
  { path, change, diff }: ControlFileEvent,
): string[] {
  return [
    `tau: ${change} by this run, and it can start programs or change permissions: ${path}`,
    ...(diff ?? "").split("\n").filter((line) => line !== ""),
  ];
}
