import {
  type CompletedCommand,
  type OptionCase,
  optionCases,
  quote,
} from "./completed_commands.ts";

/** The script of `tau completions bash`; bash 3.2 and later read it. */
export function bashCompletions(
  commands: readonly CompletedCommand[],
): string {
  const names = commands.map(({ name }) => name).filter((name) => name !== "");
  return `# What bash completes behind tau. What was typed is compared, never evaluated.

_tau() {
  local current=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD - 1]}
  local command='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    # All behind it is prompt.
    [[ \${COMP_WORDS[i]} == -- ]] && return
  done
  if ((COMP_CWORD > 1)); then
    case \${COMP_WORDS[1]} in
      ${names.map(quote).join("|")}) command=\${COMP_WORDS[1]} ;;
    esac
  fi

  if [[ -z $command && $2 == @* ]]; then
    current=\${2#@}
    _tau_paths -f -P @
    return
  fi
  # Bash takes = for a word of its own.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $option == '=' ]]; then
    option=\${COMP_WORDS[COMP_CWORD - 2]}
  fi

  case "$command $option" in
${
    optionCases(commands).map(({ pattern, offer }) =>
      `    ${pattern})
      ${offered(offer)}
      ;;`
    ).join("\n")
  }
  esac

  case "$command $COMP_CWORD $current" in
${
    commands.map(({ name, options, words }) => {
      const spelled = options.flatMap(({ long, short }) =>
        short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`]
      );
      const first = name === "" ? names : words;
      const place = name === "" ? 1 : 2;
      return `    ${quote(`${name} `)}*' -'*)
      _tau_words ${spelled.map(quote).join(" ")}
      ;;
    ${quote(`${name} ${place} `)}*)
      ${
        first.length > 0 ? `_tau_words ${first.map(quote).join(" ")}` : "return"
      }
      ;;`;
    }).join("\n")
  }
  esac
}

# Offers those of the words that begin with what was typed.
_tau_words() {
  local word
  for word in "$@"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
  return 0
}

# Offers files (-f) or folders (-d). Without compopt bash would put their names
# on the line without quotes.
_tau_paths() {
  local name
  [[ $current == *[\\$\\\`]* ]] && return 0
  compopt -o filenames 2>/dev/null || return 0
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen "$@" -- "$current")
}

complete -F _tau tau
`;
}

function offered(offer: OptionCase["offer"]): string {
  if (offer === "none") return "return";
  const call = offer === "file"
    ? "_tau_paths -f"
    : offer === "folder"
    ? "_tau_paths -d"
    : `_tau_words ${offer.map(quote).join(" ")}`;
  return `${call}
      return`;
}
