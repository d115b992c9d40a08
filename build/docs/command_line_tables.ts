import { optionHelp, optionSpelling } from "../../src/cli/help_command.ts";
import { type Command, COMMANDS } from "../../src/cli/options/command_table.ts";
import {
  type Option,
  OPTION_GROUPS,
} from "../../src/cli/options/option_table.ts";
import { formatted } from "../formatted.ts";

/** A table stands between such a mark with its name and the next end mark. */
const MARKED = /(<!-- table: (.+?) -->\n)[^]*?(<!-- end of table -->)/g;

/** docs/command-line.md with its tables of options and commands as the program has them. Throws for a mark of no table, and where a table has no mark. */
export async function withCommandLineTables(page: string): Promise<string> {
  const tables = new Map([
    ["commands", commandTable()],
    ...OPTION_GROUPS.map(([title, group]): [string, string] => [
      title,
      table(
        ["option", "effect"],
        Object.entries(group).map(([name, option]) => [
          spelled(name, option),
          optionHelp(option, option.help),
        ]),
      ),
    ]),
    ...Object.entries<Command>(COMMANDS).flatMap(
      ([name, command]): [string, string][] =>
        command.actions ? [[`tau ${name}`, actionTable(name, command)]] : [],
    ),
  ]);
  const missing = new Set(tables.keys());
  const made = page.replace(MARKED, (_, mark, name, end) => {
    const text = tables.get(name);
    if (text === undefined) throw new Error(`No table is called ${name}`);
    missing.delete(name);
    return `${mark}\n${text}\n${end}`;
  });
  if (missing.size > 0) {
    throw new Error(`No mark for the table ${[...missing].join(", ")}`);
  }
  return await formatted(made, "md");
}

function commandTable(): string {
  const { "": run, ...named } = COMMANDS;
  return table(["command", "what it does"], [
    ["`tau [options] [prompt…]`", run.help],
    ["`tau -p [options] [prompt…]`", "run one prompt and end"],
    ...Object.entries<Command>(named).map(([name, { help }]) => [
      `[\`tau ${name}\`](#tau-${name})`,
      help,
    ]),
  ]);
}

function actionTable(
  name: string,
  { actions = {}, needsAction }: Command,
): string {
  return table(
    ["command", "what it does"],
    Object.entries(actions).map(([action, { words, help }], index) => {
      const isDefault = index === 0 && !needsAction;
      const spelled = isDefault ? `[${action}]` : action;
      return [
        `\`tau ${name} ${spelled}${words === undefined ? "" : ` ${words}`}\``,
        help,
      ];
    }),
  );
}

function spelled(name: string, option: Option): string {
  const letter = option.short === undefined ? "" : `\`-${option.short}\`, `;
  return `${letter}\`${optionSpelling(name, option)}\``;
}

function table(heads: string[], rows: string[][]): string {
  return [heads, heads.map(() => "---"), ...rows].map((cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`
  ).join("");
}
