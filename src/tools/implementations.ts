// The work of the built-in tools: most of their code, which no request needs.
export { editFile } from "./edit_file.ts";
export { findFiles } from "./find_files.ts";
export { grepFiles } from "./grep_files.ts";
export { listFolder } from "./list_folder.ts";
export { readFile } from "./read_file.ts";
export { runCommand } from "./run_command.ts";
export { writeFile } from "./write_file.ts";
