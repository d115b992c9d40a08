import type {
  CompletedCommand,
  CompletedOption,
} from "./completed_commands.ts";

/** The script of `tau completions fish`. */
export function fishCompletions(
  commands: readonly CompletedCommand[],
): string {
  const named = commands.filter(({ name }) => name !== "");
  const names = named.map(({ name }) => quote(name)).join(" ");
  return `# What fish completes behind tau. What was typed is compared, never evaluated.

# True while this is the command, and before a -- behind which all is prompt.
function __tau_is
    set -l words (commandline -opc)
    contains -- -- $words[2..-1]; and return 1
    set -l command ''
    contains -- "$words[2]" ${names}; and set command $words[2]
    test "$command" = "$argv[1]"
end

# True for the word right behind the command, or behind tau itself.
function __tau_begins
    set -l words (commandline -opc)
    __tau_is $argv[1]; and test (count $words) -eq (count tau $argv)
end

complete -c tau -f
${
    named.map(({ name, brief }) =>
      `complete -c tau -n '__tau_begins' -a ${quote(name)} -d ${quote(brief)}`
    ).join("\n")
  }
${
    commands.flatMap(({ name, options, words }) => [
      ...(words.length === 0 ? [] : [
        `complete -c tau -n ${quote(`__tau_begins ${name}`)} -a ${
          quote(words.join(" "))
        }`,
      ]),
      ...options.map((option) =>
        `complete -c tau -n ${quote(`__tau_is ${name}`.trim())} ${
          spelled(option)
        }`
      ),
    ]).join("\n")
  }
`;
}

function spelled({ long, short, brief, offer }: CompletedOption): string {
  const letter = short === undefined ? "" : ` -s ${short}`;
  return `-l ${long}${letter} -d ${quote(brief)}${offered(offer)}`;
}

function offered(offer: CompletedOption["offer"]): string {
  if (offer === undefined) return "";
  if (offer === "none") return " -x";
  if (offer === "file") return " -r -F";
  if (offer === "folder") return " -x -a '(__fish_complete_directories)'";
  return ` -x -a ${quote(offer.join(" "))}`;
}

/** The text in single quotes, as fish reads it. */
function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
