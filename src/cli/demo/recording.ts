/** The recorded conversation of the demo. */
export interface Recording {
  /** JSON lines, as the host replays them. */
  text: string;
  prompt: string;
}

/** Loads the recording; a module, so that a bundle contains it. */
export async function loadRecording(): Promise<Recording> {
  const { default: lines } = await import("./recording.json", {
    with: { type: "json" },
  });
  const [, first] = lines;
  return {
    text: lines.map((line) => JSON.stringify(line)).join("\n"),
    prompt: first?.messages?.[0]?.text ?? "",
  };
}
