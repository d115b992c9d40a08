/** The same text as `deno fmt` has it. */
export async function formatted(
  text: string,
  extension: "ts" | "md",
): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "--no-config", `--ext=${extension}`, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const output = child.output();
  const stdin = child.stdin.getWriter();
  await stdin.write(new TextEncoder().encode(text));
  await stdin.close();
  const { success, stdout } = await output;
  if (!success) throw new Error("deno fmt failed");
  return new TextDecoder().decode(stdout);
}
