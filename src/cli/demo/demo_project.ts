const CHECK_TIMEOUT_MS = 10_000;

/** The recorded conversation of the demo. */
export interface Recording {
  /** JSON lines, as the host replays them. */
  text: string;
  prompt: string;
}

/** Loads the recording: a module, so that a bundle has it. */
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

/** Writes the demo's project, a module, too, into an empty folder. */
export async function writeProject(folder: string): Promise<void> {
  const { default: project } = await import("./project.json", {
    with: { type: "json" },
  });
  for (const [name, { text, mode }] of Object.entries(project)) {
    await Deno.writeTextFile(`${folder}/${name}`, text, {
      createNew: true,
      mode: parseInt(mode, 8),
    });
  }
}

/** Runs the project's own check. */
export async function runCheck(
  folder: string,
): Promise<{ passed: boolean; output: string }> {
  try {
    const { success, stdout, stderr } = await new Deno.Command("sh", {
      args: ["check.sh"],
      cwd: folder,
      stdin: "null",
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    }).output();
    const decoder = new TextDecoder();
    return {
      passed: success,
      output: decoder.decode(stdout) + decoder.decode(stderr),
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { passed: false, output: "there is no sh on this machine\n" };
  }
}
