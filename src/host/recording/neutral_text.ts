/** The places and secrets of a run, which differ although the conversation is the same. */
export interface Surroundings {
  /** Absolute and real. */
  cwd: string;
  /** Paths of one folder each, all of which count as the same; the first is the one that answers lead to. */
  homeDir?: readonly string[] | undefined;
  tauHome?: readonly string[] | undefined;
  tempDirs?: readonly string[] | undefined;
  /** The folder of the full outputs of long commands. */
  outputDir: string;
  /** Must not be written anywhere. */
  secrets: readonly string[];
}

/** Stands for a secret. A plain word, so that a command with one is still a command. */
export const SECRET_MARK = "TAU-SECRET-REMOVED";

/**
 * Texts of one request without what differs from run to run. Markers such as
 * `<tau:cwd>` stand for folders, `<tau:output:1>` for the first file with a
 * command's full output that the conversation names.
 */
export class NeutralText {
  readonly #folders: [label: string, path: string][];
  readonly #places: RegExp;
  readonly #secrets: RegExp | undefined;
  readonly #outputDir: string;
  /** Paths of outputs by their numbers, which follow the order in which they were named, and the other way round. */
  readonly #outputs = new Map<number, string>();
  readonly #outputNumbers = new Map<string, number>();

  constructor(surroundings: Surroundings) {
    const { cwd, homeDir, tauHome, tempDirs, outputDir, secrets } =
      surroundings;
    const named: [string, readonly string[] | undefined][] = [
      ["cwd", [cwd]],
      ["outputs", [outputDir]],
      ["tau_home", tauHome],
      ["home", homeDir],
      ["tmp", tempDirs],
    ];
    this.#outputDir = outputDir;
    this.#folders = named.flatMap(([label, folders = []]) =>
      folders.map((path) => path.replace(/[/\\]+$/, ""))
        // The root of a file system is in every path.
        .filter((folder) => !/^([A-Za-z]:)?$/.test(folder))
        .flatMap(writtenForms)
        .map((form): [string, string] => [label, form])
    );
    const paths = this.#folders.map(([, path]) => path)
      .sort((a, b) => b.length - a.length).map(RegExp.escape);
    const file = `${RegExp.escape(outputDir)}[/\\\\][\\w-]+(?:\\.[\\w-]+)*`;
    const folder = `(?:${paths.join("|")})(?![\\w-]|\\.\\w)`;
    this.#places = new RegExp(`${BEGIN}(?:(${file})|${folder})`, "g");
    const values = [...secrets].sort((a, b) => b.length - a.length)
      .map(RegExp.escape);
    if (values.length > 0) this.#secrets = new RegExp(values.join("|"), "g");
  }

  /** For comparing: without secrets, places, dates, generated ids and versions of tau. */
  canonical(text: string): string {
    const withPlaces = this.#withoutSecrets(text).replace(
      this.#places,
      (path, output?: string) =>
        output === undefined ? this.#folderMark(path) : this.#outputMark(path),
    );
    return withoutChance(withPlaces);
  }

  /** For saying it again elsewhere: without secrets, and with marks for places. */
  portable(text: string): string {
    return this.#withoutSecrets(text).replace(
      this.#places,
      (path, output?: string) => {
        if (output === undefined) return this.#folderMark(path);
        if (this.#outputNumbers.has(path)) return this.#outputMark(path);
        return `<tau:outputs>${path.slice(this.#outputDir.length)}`;
      },
    );
  }

  /** The same text with the places of this run. */
  restored(text: string): string {
    return text.replace(
      /<tau:(?:output:(\d{1,9})|(\w+))>/g,
      (mark, output: string | undefined, label: string | undefined) =>
        (output === undefined
          ? this.#folders.find(([known]) => known === label)?.[1]
          : this.#outputs.get(Number(output))) ?? mark,
    );
  }

  #withoutSecrets(text: string): string {
    const known = this.#secrets
      ? text.replace(this.#secrets, SECRET_MARK)
      : text;
    return known.replace(CREDENTIAL, SECRET_MARK)
      .replace(URL_PASSWORD, `$1${SECRET_MARK}@`)
      .replace(URL_KEY, `$1${SECRET_MARK}`)
      .replace(AUTHORIZATION, `$1${SECRET_MARK}`);
  }

  #folderMark(path: string): string {
    const [label] = this.#folders.find(([, known]) => known === path) ?? [];
    return label === undefined ? path : `<tau:${label}>`;
  }

  #outputMark(path: string): string {
    let number = this.#outputNumbers.get(path);
    if (number === undefined) {
      number = this.#outputs.size + 1;
      this.#outputs.set(number, path);
      this.#outputNumbers.set(path, number);
    }
    return `<tau:output:${number}>`;
  }
}

/** The beginning of a path: not inside a name, but behind an option such as `-I`, and behind the line break of a text in quotes. */
const BEGIN = "(?:(?<![\\w.-])|(?<=(?<![^\\s\"'=])-[A-Za-z])|(?<=\\\\[nrt]))";

/** A folder as it is, then as URLs have it. */
function writtenForms(folder: string): string[] {
  const url = new URL("file:///");
  url.pathname = folder;
  const quoted = folder.toWellFormed().split("/").map(encodeURIComponent);
  return [...new Set([folder, url.pathname, quoted.join("/")])];
}

/** Credentials that have a form of their own. */
const CREDENTIAL = new RegExp(
  [
    "\\b(?:sk|pk|rk)-[\\w-]{16,}",
    "\\b(?:sk|pk|rk)_(?:live|test)_\\w{16,}",
    "\\bgh[pousr]_\\w{20,}",
    "\\bgithub_pat_\\w{20,}",
    "\\bglpat-[\\w-]{20,}",
    "\\bxox[abeoprs]-[\\w-]{10,}",
    "\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b",
    "\\bAIza[\\w-]{30,}",
    "\\b(?:gsk|hf|npm)_\\w{20,}",
    "\\bxai-\\w{20,}",
    "\\beyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}",
    "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\\w\\s+/=:,\\\\]|-(?!-)){0,20000}-----END [A-Z ]{0,40}PRIVATE KEY-----",
    // Only its beginning.
    "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?:\\s|\\\\[nr])+[\\w+/=]{16,}){1,400}",
  ].join("|"),
  "g",
);
const URL_PASSWORD = /(:\/\/[^\s/:@"'<>]{0,200}:)[^\s/@"'<>]{1,500}@/g;
const URL_KEY =
  /([?&](?:[\w-]{0,60}(?:key|token|secret|signature)|sig)=)(?=[\w%.~+/-]{0,200}\d)[\w%.~+/-]{16,}/gi;
const AUTHORIZATION =
  /\b((?:proxy-)?authorization["']?\s?[:=]\s?["']?(?:bearer|basic|token)\s+)[\w.~+/=-]{6,}/gi;

/** English names, as programs write them whatever the language is. */
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const CLOCK = "\\d{2}:\\d{2}:\\d{2}";
const ZONE = "[+-]\\d{2}:?\\d{2}";

const DATE = new RegExp(
  [
    // 2026-11-30, also with a time behind it.
    `\\b\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[T ]\\d{2}[:-]\\d{2}(?:[:-]\\d{2}(?:[.,-]\\d+)?)?(?: ?${ZONE}|Z)?)?(?![A-Za-z0-9])`,
    // Mon Nov 30 01:02:16 UTC 2026, also as git writes it.
    `\\b${DAY} ${MONTH} +\\d{1,2} ${CLOCK}(?: [AP]M)?(?: [A-Z]{2,5})? \\d{4}(?: ${ZONE})?\\b`,
    // Mon, 30 Nov 2026 01:02:16 GMT
    `\\b${DAY}, \\d{1,2} ${MONTH} \\d{4} ${CLOCK} (?:GMT|${ZONE})(?!\\w)`,
    // Nov 30 01:02, as ls writes it; of another year Nov 30  2025.
    `\\b${MONTH} +\\d{1,2} +(?:\\d{2}:\\d{2}|\\d{4})\\b`,
  ].join("|"),
  "g",
);
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
const TAU_VERSION = /\b(tau[ /]v?)\d+\.\d+\.\d+(?:-[\w.]+)?/g;

function withoutChance(text: string): string {
  return text.replace(DATE, "<tau:date>").replace(UUID, "<tau:id>")
    .replace(TAU_VERSION, "$1<tau:version>");
}
