/** Runs a test in a fresh folder, by its real path, and removes it afterwards. */
export async function inTempFolder(
  test: (folder: string) => void | Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(
    await Deno.makeTempDir({ prefix: "tau-test-" }),
  );
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
