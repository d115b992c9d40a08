/** What `--help` prints. */
export const HELP =
  `tau: a coding agent. It reads and changes files and runs commands in a folder
to do what a prompt asks for.

Usage
  tau [options] [prompt…]        a conversation on the terminal; /help in it
                                 says what can be typed
  tau -p [options] [prompt…]     run one prompt, without a conversation
  tau rpc [options]              a conversation with a program: commands on
                                 stdin, responses and events on stdout, a line
                                 of JSON each
  tau demo [--keep]              watch a recorded run repair a small project;
                                 needs no key and no network
  tau proxy [--port 7878] [--host 127.0.0.1]
                                 answer the model requests of other runs with
                                 the keys set here; prints a token for them
  tau sessions [list [--json]]   the stored conversations, latest first
  tau sessions show ID           one of them; export ID: in full, as Markdown
  tau sessions rm ID…            remove some; the first characters of an ID do
  tau models [--json] [WORD…]    the models that --model takes: what they can,
                                 what they cost, and whether a key is set; with
                                 WORDs those whose names have all of them
  tau plugins [list [--json]]    what becomes of the plugins of a run here, each
                                 loaded as in a run; ends with 1 when one failed
  tau plugins check FILE [--json]
                                 load one plugin and check its types
  tau plugins new NAME [--project] [--dir]
                                 write one to begin with: into TAU_HOME, or .tau
                                 of this folder; as a file, or a folder
  tau plugins types              the declarations of tau, for editors
  tau schema [line|header|event|result|rpc|settings]
                                 the JSON Schema of what json and stream-json
                                 print, line is any of them; of what tau rpc
                                 prints; or of settings
  tau permissions [options]      what a run with these options may touch, and
                                 what came of trying it; --json for programs
  tau doctor [--json]            what runs find on this machine; ends with 1
                                 where they lack something
  tau completions bash|zsh|fish  a script that teaches the shell tau's options
  tau licenses                   the licences of tau and of what is in it
  tau trust [--remove]           use .tau of the current folder in later runs

  Several words of a prompt are joined by spaces; - is replaced by stdin.
  Without a prompt stdin is the prompt; with one, stdin is read only for a -.
  A word @FILE attaches a text or an image. /name fills the prompt template of
  that name with the words behind it; /skill:name uses a skill.
  All behind -- is prompt, for one that begins with a dash or with a command.

Options
  -p, --print                    run the prompt and end; implied by
                                 --output-format and where stdin or stdout is
                                 not a terminal
      --output-format FORMAT     text: the answer, progress on stderr (default)
                                 json: one line, the result record
                                 stream-json: a line of JSON for each event,
                                 the last one is the result record
  -o, --output-last-message FILE
                                 write the answer to FILE, too, when the run
                                 completed; else FILE stays as it is
      --output-schema FILE       the answer must be JSON that fits the JSON
                                 Schema in FILE; it is asked for twice more
      --check CMD                CMD, run by bash, must succeed before the run
                                 counts as completed; the model hears how it
                                 failed
      --check-retries N          as often as N times (default 2)
      --model PROVIDER/ID        such as anthropic/claude-sonnet-4-5; with
                                 :low, :medium, :high behind it for thinking;
                                 default: that of the settings, or the first
                                 provider with a key
  -t, --tools NAMES              active tools, with commas between; of read,
                                 bash, edit, write, grep, find, ls,
                                 powershell
                                 (default read,bash,edit,write)
      --exclude-tools NAMES      of the tools, plugins' too, all but these
      --system-prompt TEXT|FILE  in place of what tau says of itself and tools
      --append-system-prompt TEXT|FILE
                                 more for the system prompt
      --no-context-files         read no AGENTS.md or CLAUDE.md
      --plugin PATH              load this plugin, too: a .ts or .js file, or a
                                 folder with mod.ts; as often as needed
      --plugin-flag NAME[=VALUE] set an option of a plugin
      --no-plugins               look for no plugins in TAU_HOME/plugins and in
                                 .tau/plugins of a trusted folder
      --trust, --no-trust        use settings, skills, prompts and plugins in
                                 .tau of the folder, or not; default: as
                                 tau trust said
      --profile NAME             how much the run may touch. read-only: nothing
                                 is written; workspace: the folder (default);
                                 strict: and commands see no home folder; full:
                                 all but secrets, and the network
      --add-dir DIR              work in this folder, too
      --allow-read PATH          tools may read this, too
      --allow-write DIR          tools and commands may write this folder, too
      --allow-net[=HOSTS]        commands may use the network; with HOSTS, such
                                 as a.com,b.com, only plugins, through tau
      --pass-env NAMES           variables that commands see, too, with commas
                                 between; never a key of tau
      --sandbox WHEN             whether the system confines what bash runs:
                                 auto: where it can (default); require: or else
                                 the run ends with 31; off
      --allow-tool RULE          make these calls without asking; a rule is such
                                 as read, "bash(npm test*)", "write(src/**)"
      --deny-tool RULE           never make these calls; both as often as needed
      --fail-on-denied           end with 30 when anything was denied
      --max-turns N              end after N responses of the model
      --max-tool-calls N         end before a response whose calls would be
                                 more than N; none of them is run
      --max-repeats N            end when the same call has the same result N
                                 times in a row (default 8; 0: never)
      --max-budget-usd X         end when the requests have cost X US dollars;
                                 the model's price must be known
      --on-limit ACTION          at one of these limits stop (default), or
                                 summarize: ask once more, without tools
      --max-retries N            make a request that failed again up to N times,
                                 when the failure may pass (default 3)
      --timeout TIME             end after 300, 90s, 5m, 1h; default: none
  -C, --cd DIR                   work in DIR instead of the current folder
      --record FILE              write a recording of the run: each request,
                                 its answer, the results of tools
      --replay FILE              answer from a recording instead of a model; a
                                 request that is not in it ends the run with 50
      --replay-tools             with --replay: run no tool and no check, take
                                 their results from the recording, too
  -c, --continue                 go on with the latest session of the folder
  -r, --resume ID                go on with this session, from any folder
      --session FILE             go on with the session in FILE, or begin it
      --fork                     with one of these: go on with a copy
      --no-session               do not store the conversation
  -h, --help                     show this
  -v, --version                  show the version

Examples
  tau -p "why does the build fail?"
  tau -p --check "npm test" "fix the failing test"
  git diff | tau -p "review this change:" - > review.md
  tau -p --tools read,grep,find,ls "where are sessions stored?"
  tau -p --output-format json --timeout 10m "fix the failing test" | jq .status
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=x \\
    tau -p --model openai/my-model "say hello"
  tau -p --model ollama/qwen3 "say hello"

Environment
  ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY or GEMINI_API_KEY,
  OPENROUTER_API_KEY, GROQ_API_KEY, DEEPSEEK_API_KEY, MISTRAL_API_KEY,
  XAI_API_KEY, TOGETHER_API_KEY, FIREWORKS_API_KEY
                                 keys; commands that bash runs do not see them
  <NAME>_BASE_URL                another server for a provider, also for the
                                 local ones: OLLAMA, LMSTUDIO, LLAMACPP
  TAU_PROXY_URL, TAU_PROXY_TOKEN
                                 a tau proxy to ask instead of providers, and
                                 the token that it wants; with --model, and no
                                 key. tau proxy itself takes the token, too
  TAU_HOME                       settings.json, AGENTS.md, skills/, prompts/ and
                                 sessions/ of yours; default: ~/.tau
  NO_COLOR, FORCE_COLOR, TERM=dumb
                                 colour or not; default: on terminals

Exit codes, the same in every output format
    0  the model ended its turn by itself
    1  an error inside tau, or stdout or the file of -o could not be written
    2  wrong arguments or settings
   10  no key, or one that the provider does not take
   11  provider unreachable or overloaded: a later try may pass
   12  provider refused the request
   20  --max-turns, --max-tool-calls or --max-repeats reached
   21  --max-budget-usd reached
   22  --timeout reached
   23  the answer hit the model's output limit
   31  no sandbox, with --sandbox require
   32  the process that runs the tools died or hung
   30  something was denied, with --fail-on-denied
   50  the recording has no answer to a request, or no result of a call
   40  the answer does not fit the schema of --output-schema
   41  the command of --check fails
  129, 130, 143, 141             hung up, interrupted, terminated; stdout closed

On Linux bubblewrap confines what bash runs. Where it cannot, tau says so in the
first line of each run; tau doctor says why.
`;
