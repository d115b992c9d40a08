/**
 * Variables that children inherit, in upper case. A list of names instead of
 * patterns of secrets: what nobody thought of stays out. Not in it on purpose:
 * `EDITOR` and `PAGER` (nobody can answer them), `*_proxy` (may carry a
 * password), `SSH_AUTH_SOCK` and `XDG_RUNTIME_DIR` (doors to other processes).
 */
const INHERITED: ReadonlySet<string> = new Set([
  // The user and the terminal.
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM"],
  ...["NO_COLOR", "TZ", "TMPDIR", "TMP", "TEMP", "CI"],
  // Language.
  ...["LANG", "LANGUAGE", "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE"],
  ...["LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY"],
  ...["LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"],
  // Where toolchains and their caches are.
  ...["DENO_DIR", "DENO_INSTALL", "CARGO_HOME", "RUSTUP_HOME", "GOPATH"],
  ...["GOROOT", "GOCACHE", "GOMODCACHE", "JAVA_HOME", "ANDROID_HOME"],
  ...["GRADLE_USER_HOME", "DOTNET_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX"],
  ...["PYENV_ROOT", "NVM_DIR", "BUN_INSTALL", "PNPM_HOME"],
  // Where certificates are.
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ...["CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO"],
  // Base folders of the desktop standard.
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"],
  ...["XDG_CONFIG_DIRS", "XDG_DATA_DIRS"],
  // Without these no program starts on Windows.
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES"],
  ...["PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES", "PUBLIC"],
  ...["USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH"],
  ...["NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"],
]);

/**
 * The environment of children: what `env` holds of the allow list, and of
 * `passEnv` (exact names, which may be secrets). `TAU_*` is never inherited,
 * also when it is asked for: those names are set afresh for each call.
 */
export function childEnvironment(
  env: Record<string, string>,
  passEnv: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      // Windows spells names in any case.
      const upper = name.toUpperCase();
      if (upper.startsWith("TAU_")) return false;
      return INHERITED.has(upper) || passEnv.includes(name);
    }),
  );
}
