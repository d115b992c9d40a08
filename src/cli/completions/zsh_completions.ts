import {
  type CompletedCommand,
  type OptionCase,
  optionCases,
  quote,
} from "./completed_commands.ts";

/** The script of `tau completions zsh`: a file `_tau` of `fpath`, or one to source. */
export function zshCompletions(commands: readonly CompletedCommand[]): string {
  const named = commands.filter(({ name }) => name !== "");
  return `#compdef tau
# What zsh completes behind tau. What was typed is compared, never evaluated.

_tau() {
  local command='' option=\${words[CURRENT - 1]} i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    # All behind it is prompt.
    [[ \${words[i]} == -- ]] && return 1
  done
  if ((CURRENT > 2)); then
    case \${words[2]} in
      (${
    named.map(({ name }) => quote(name)).join("|")
  }) command=\${words[2]} ;;
    esac
  fi
  if [[ $PREFIX == --*=* ]]; then
    option=\${PREFIX%%=*}
    compset -P 1 '*='
  elif [[ -z $command && $PREFIX == @* ]]; then
    compset -P '@'
    _tau_paths
    return
  fi

  case "$command $option" in
${
    optionCases(commands).map(({ pattern, offer }) =>
      `    (${pattern})
      ${offered(offer)}
      return
      ;;`
    ).join("\n")
  }
  esac

  case "$command $CURRENT $PREFIX" in
${
    commands.map(({ name, options, words }) => {
      const spelled = options.flatMap(({ long, short, brief }) =>
        [`--${long}`, ...(short === undefined ? [] : [`-${short}`])]
          .map((option) => described(option, brief))
      );
      const first = name === ""
        ? named.map((command) => described(command.name, command.brief))
        : words.map((word) => described(word));
      const place = name === "" ? 2 : 3;
      return `    (${quote(`${name} `)}*' -'*)
      offered=(${lines(spelled)})
      _describe -o option offered
      ;;
    (${quote(`${name} ${place} `)}*)
      offered=(${lines(first)})
      _describe word offered
      ;;`;
    }).join("\n")
  }
  esac
}

# Offers files, or with -/ folders. For a word with $ or \` zsh would run it.
_tau_paths() {
  [[ $PREFIX$SUFFIX == *[\\$\\\`]* ]] && return 1
  _files "$@"
}

if [[ $funcstack[1] == _tau ]]; then
  _tau "$@"
else
  compdef _tau tau
fi
`;
}

function offered(offer: OptionCase["offer"]): string {
  if (offer === "none") return "_message value";
  if (offer === "file") return "_tau_paths";
  if (offer === "folder") return "_tau_paths -/";
  return `compadd -- ${offer.map(quote).join(" ")}`;
}

/** A name and what it is, as _describe reads them. */
function described(name: string, brief?: string): string {
  const escaped = name.replaceAll(/[\\:]/g, "\\$&");
  return quote(brief === undefined ? escaped : `${escaped}:${brief}`);
}

function lines(words: readonly string[]): string {
  return words.length === 0
    ? ""
    : `\n        ${words.join("\n        ")}\n      `;
}
