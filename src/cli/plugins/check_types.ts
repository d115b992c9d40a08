import { readDeclarations } from "./declarations.ts";

/** Result of a type check. */
export interface TypeCheck {
  problems: TypeProblem[];
  /** The reason where nothing was checked. */
  unchecked?: string;
}

/** A place where the types are wrong. */
export interface TypeProblem {
  /** Absolute. */
  file: string;
  /** Counted from 1. */
  line: number;
  /** Counted from 1. */
  column: number;
  message: string;
}

const LIMIT_MS = 60_000;
const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 2000;

/** Has Deno check a module and what it imports against the declarations of `tau`. Runs none of it, and fetches nothing. */
export async function checkTypes(path: string): Promise<TypeCheck> {
  if (Deno.build.standalone) {
    return { problems: [], unchecked: "this form of tau has no type checker" };
  }
  const folder = await Deno.makeTempDir({ prefix: "tau-" });
  try {
    const config = `${folder}/deno.json`;
    await Deno.writeTextFile(`${folder}/tau.d.ts`, await readDeclarations());
    await Deno.writeTextFile(config, CONFIG);
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      {
        args: [
          ...["check", "--quiet", "--no-lock", "--no-remote", "--no-npm"],
          ...["--config", config, path],
        ],
        cwd: folder,
        env: { NO_COLOR: "1" },
        stdin: "null",
        signal: AbortSignal.timeout(LIMIT_MS),
      },
    ).output();
    if (success) return { problems: [] };
    const decoder = new TextDecoder();
    const said = decoder.decode(stdout) + decoder.decode(stderr);
    const problems = problemsIn(said);
    return { problems: problems.length > 0 ? problems : [failure(said, path)] };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const CONFIG = JSON.stringify({ compilerOptions: { types: ["./tau.d.ts"] } });

const PROBLEM =
  /^TS\d+ \[ERROR\]: ([^]*?)\n\s*at (file:\/\/\S+):(\d+):(\d+)$/gm;
const PLACE = /at (file:\/\/\S+):(\d+):(\d+)/;
/** The line of the file, and what marks a part of it. */
const SNIPPET = /\n[^\n]*\n\s*[~^]+\s*$/;

function problemsIn(text: string): TypeProblem[] {
  return [...text.matchAll(PROBLEM)].slice(0, MAX_PROBLEMS).map(
    ([, message = "", address = "", line, column]) => ({
      file: pathOf(address),
      line: Number(line),
      column: Number(column),
      message: message.replace(SNIPPET, "").slice(0, MAX_MESSAGE),
    }),
  );
}

/** A failure that kept Deno from checking anything, such as a missing module. */
function failure(text: string, path: string): TypeProblem {
  const [line = ""] = text.trim().split("\n", 1);
  const [, address, lineNumber = 1, column = 1] = text.match(PLACE) ?? [];
  return {
    file: address === undefined ? path : pathOf(address),
    line: Number(lineNumber),
    column: Number(column),
    message: line.replace(/^error: /, "").slice(0, MAX_MESSAGE) ||
      "Checking the types took too long",
  };
}

function pathOf(address: string): string {
  return decodeURIComponent(new URL(address).pathname);
}
