/**
 * Files and folders of a home folder that hold keys, tokens, or what was typed
 * once. Children see none of them, file tools refuse them.
 */
export const HOME_SECRETS: readonly string[] = [
  // Keys and tokens of tools.
  ...[".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".oci"],
  ...[".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf"],
  ...[".git-credentials", ".config/git/credentials", ".config/gh"],
  ...[".config/hub", ".config/glab-cli", ".config/gcloud", ".config/doctl"],
  ...[".config/op", ".config/sops", ".config/containers/auth.json"],
  ...[".config/anthropic", ".config/rclone", ".config/configstore"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"],
  ...[".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet"],
  ...[".composer/auth.json", ".terraformrc", ".terraform.d", ".vault-token"],
  ...[".password-store", ".local/share/keyrings", ".subversion/auth"],
  ...[".s3cfg", ".boto", ".databrickscfg", ".cdsapirc", ".kaggle"],
  // Other agents, and this one.
  ...[".tau", ".claude", ".claude.json", ".codex", ".gemini", ".pi"],
  // Profiles of browsers and mail.
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium"],
  ...[".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi"],
  ...[".config/opera", "snap/firefox", "snap/chromium", ".var/app"],
  ...["Library/Keychains", "Library/Cookies", "Library/Safari"],
  ...["Library/Application Support/Google/Chrome"],
  ...["Library/Application Support/Firefox"],
  // What was typed.
  ...[".bash_history", ".zsh_history", ".histfile", ".sh_history", ".history"],
  ...[".local/share/fish/fish_history", ".python_history"],
  ...[".node_repl_history", ".psql_history", ".mysql_history"],
  ...[".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo"],
];

/** The same of the system, for a user who may read it. */
export const SYSTEM_SECRETS: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"],
  ...["/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private"],
  ...["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key"],
  ...["/etc/ssh/ssh_host_ed25519_key", "/etc/kubernetes"],
  ...["/var/lib/docker", "/var/lib/kubelet", "/var/lib/containers"],
];
