/** A shell that a test can type into. */
export interface TypingShell {
  /** Types a line and Tab; returns the line as the shell then has it. Runs nothing. */
  complete(line: string): Promise<string>;
}

/** Start-up files: a prompt to wait for, and Ctrl-X Ctrl-P to be told the line and begin anew. Neither leaves the terminal's raw mode, in which no key is lost. */
const STARTUP = {
  bash: (script: string) => `
source ${script}
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind 'set page-completions off'
bind 'set completion-query-items 0'
bind -x '"\\C-x\\C-p": printf "\\n<<%s>>\\n" "$READLINE_LINE"; READLINE_LINE='
PS1='ready '
`,
  zsh: (script: string) => `
autoload -Uz compinit && compinit -D -u
source ${script}
unsetopt auto_menu beep
bindkey '^I' complete-word
tell() { print -r -- "<<$BUFFER>>" >$TTY; BUFFER= }
zle -N tell
bindkey '^X^P' tell
PS1='ready '
`,
};

/** Lends a shell on a terminal of its own, in the folder, with the script of completions loaded. */
export async function withTypingShell(
  shell: keyof typeof STARTUP,
  { script, home, folder }: { script: string; home: string; folder: string },
  use: (shell: TypingShell) => Promise<void>,
): Promise<void> {
  await Deno.writeTextFile(`${home}/completions`, script);
  await Deno.writeTextFile(
    `${home}/.${shell}rc`,
    STARTUP[shell](`${home}/completions`),
  );
  const command = shell === "bash"
    ? `exec bash --noprofile --rcfile ${home}/.bashrc -i`
    : "exec zsh -i";
  const child = new Deno.Command("script", {
    args: ["-qec", command, "/dev/null"],
    cwd: folder,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: home,
      ZDOTDIR: home,
      TERM: "xterm",
      LANG: "C.UTF-8",
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const keys = child.stdin.getWriter();
  const screen = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  const type = (text: string) => keys.write(new TextEncoder().encode(text));
  const shown = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(seen);
      if (match) {
        seen = seen.slice(match.index + match[0].length);
        return match[1] ?? "";
      }
      const { value, done } = await screen.read();
      if (done) throw new Error(`${shell} ended before ${pattern}:\n${seen}`);
      seen += value;
    }
  };
  try {
    await shown(/ready /);
    await use({
      async complete(line) {
        await type(`${line}\t\x18\x10`);
        return await shown(/<<(.*)>>\r?\n/);
      },
    });
  } finally {
    await keys.close();
    child.kill("SIGHUP");
    while (!(await screen.read()).done);
    await child.status;
    clearTimeout(timer);
  }
}
