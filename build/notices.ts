import { join } from "node:path";
import { BuildError } from "./build_error.ts";

/** Licences that are not in the package itself, by its name; each says where it is from. */
const TEXTS_ELSEWHERE: Record<string, string> = {
  "@stricli/core": "stricli_core.txt",
};

const LICENCE_FILE =
  /^(?:licen[cs]es?|unlicense|copying|copyright|notices?)(?:[-._].*)?$/i;

const LINE = "=".repeat(80);

const INTRODUCTION = `Third-party notices

tau is made of its own code, of code of these packages of npm, and of Deno,
which runs it.
`;

/** The facts of a package.json that a notice tells. */
interface PackageFacts {
  name: string;
  version: string;
  license?: unknown;
  homepage?: string;
  repository?: string | { url?: string };
}

/**
 * Makes the text of THIRD_PARTY_NOTICES: of the packages in the given folders,
 * by name, and of Deno. Throws a {@linkcode BuildError} where a package has no
 * licence.
 */
export async function makeNotices(
  packages: readonly string[],
): Promise<string> {
  const notices = await Promise.all(packages.map(packageNotice));
  return [INTRODUCTION, ...notices.sort(), await denoNotice()]
    .join(`\n${LINE}\n`);
}

/** What a package is, and its licence in full. Throws a {@linkcode BuildError} where it has none. */
async function packageNotice(folder: string): Promise<string> {
  const facts: PackageFacts = JSON.parse(
    await Deno.readTextFile(join(folder, "package.json")),
  );
  const name = `${facts.name} ${facts.version}`;
  const { license } = facts;
  if (typeof license !== "string" || /^(?:|unlicensed)$/i.test(license)) {
    throw new BuildError(`The package ${name} names no licence`);
  }
  const texts = await licenceTexts(folder, facts.name);
  if (texts.length === 0) {
    throw new BuildError(`The package ${name} has no text of its licence`);
  }
  const home = homeOf(facts);
  return [
    `${name}\nLicence: ${license}\n${home ? `Home: ${home}\n` : ""}`,
    ...texts,
  ].join("\n");
}

async function licenceTexts(folder: string, name: string): Promise<string[]> {
  const files = await Array.fromAsync(Deno.readDir(folder));
  const names = files.filter(({ name, isFile }) =>
    isFile && LICENCE_FILE.test(name)
  ).map(({ name }) => name).sort();
  if (names.length > 0) {
    return await Promise.all(names.map((name) => textOf(join(folder, name))));
  }
  const elsewhere = TEXTS_ELSEWHERE[name];
  return elsewhere === undefined ? [] : [await fixedText(elsewhere)];
}

/** Where the package comes from, as an address to open. */
function homeOf({ homepage, repository }: PackageFacts): string | undefined {
  if (homepage) return homepage;
  const url = typeof repository === "string" ? repository : repository?.url;
  return url?.replace(/^git\+/, "").replace(/\.git$/, "")
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/")
    .replace(/^git:/, "https:")
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1");
}

async function denoNotice(): Promise<string> {
  return `Deno ${Deno.version.deno}, with V8 ${Deno.version.v8}
Licence: MIT; V8: BSD-3-Clause
Home: https://github.com/denoland/deno

tau's programs hold Deno. Its npm packages carry Deno's own licence and no
other; that of V8 is here, too. The texts of the other parts that are linked
into Deno are not: ICU, SQLite, TypeScript, parts of Node.js, and the crates of
Rust that Cargo.lock in Deno's repository lists, at the tag v${Deno.version.deno}.

${await fixedText("deno.txt")}
${await fixedText("v8.txt")}`;
}

function fixedText(name: string): Promise<string> {
  return textOf(new URL(`notices/${name}`, import.meta.url));
}

/** Without what editors leave at the ends of lines and files. */
async function textOf(file: string | URL): Promise<string> {
  const text = await Deno.readTextFile(file);
  return `${text.replace(/[ \t\r]+$/gm, "").trimEnd()}\n`;
}
