interface ProjectFile {
  text: string;
  /** Octal. */
  mode: string;
}

/** Writes the demo's project into an empty folder; it is a module, so that a bundle contains it. */
export async function writeProject(folder: string): Promise<void> {
  const { default: project } = await import("./project.json", {
    with: { type: "json" },
  });
  const files: [string, ProjectFile][] = Object.entries(project);
  for (const [name, { text, mode }] of files) {
    await Deno.writeTextFile(`${folder}/${name}`, text, {
      createNew: true,
      mode: parseInt(mode, 8),
    });
  }
}
