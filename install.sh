#!/bin/sh
# Installs tau: fetches the program for this machine and the checksums of its
# release, compares them, and puts the program in place in one step.
# All of it is a function, so that half a download does nothing.
set -eu

main() {
  # The account that publishes tau; a release writes its own here.
  owner=${TAU_OWNER:-@OWNER@}
  releases=${TAU_RELEASES_URL:-https://github.com/$owner/tau/releases}
  folder=${HOME:+$HOME/.local/bin}
  version=latest
  while [ $# -gt 0 ]; do
    case $1 in
      --dir | --version)
        [ $# -gt 1 ] && [ -n "$2" ] || fail "$1 needs a value"
        if [ "$1" = --dir ]; then folder=$2; else version=${2#v}; fi
        shift 2
        ;;
      -h | --help)
        usage
        return
        ;;
      *) fail "unknown argument \"$1\"; --help shows the options" ;;
    esac
  done

  if [ -z "${TAU_RELEASES_URL:-}" ]; then
    case $owner in
      @*) fail "set TAU_OWNER to the GitHub account that publishes tau" ;;
      *[!0-9A-Za-z-]*) fail "TAU_OWNER: \"$owner\" is no GitHub account" ;;
    esac
  fi
  case $releases in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) fail "TAU_RELEASES_URL must begin with https://" ;;
  esac
  case $version in
    latest) from=$releases/latest/download ;;
    *[!0-9A-Za-z.-]*) fail "\"$version\" is no version" ;;
    *) from=$releases/download/v$version ;;
  esac
  [ -n "$folder" ] || fail "HOME is not set; say where to install with --dir"
  # No command shall take its name for an option.
  case $folder in
    /*) ;;
    *) folder=./$folder ;;
  esac
  name=tau-portable-$(machine)

  mkdir -p "$folder" || fail "cannot make the folder $folder"
  [ ! -d "$folder/tau" ] || fail "$folder/tau is a folder"
  # In the same folder, so that moving the program is one step.
  staging=$(mktemp -d "$folder/.tau-install.XXXXXX") ||
    fail "cannot write in $folder"
  trap 'rm -rf "$staging"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  fetch "$from/SHA256SUMS" "$staging/SHA256SUMS"
  expected=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' \
    "$staging/SHA256SUMS")
  case $expected in
    '') fail "this release has no $name" ;;
    *[!0-9a-f]*) fail "SHA256SUMS has no checksum of $name" ;;
  esac
  fetch "$from/$name" "$staging/tau"
  actual=$(sha256 "$staging/tau")
  [ "$actual" = "$expected" ] ||
    fail "$name has the checksum $actual, expected $expected; nothing was installed"

  chmod 755 "$staging/tau"
  mv -f "$staging/tau" "$folder/tau"
  say "installed $folder/tau"
  case :${PATH:-}: in
    *:"$folder":*) ;;
    *) say "$folder is not on PATH; add it to call tau by its name" ;;
  esac
}

usage() {
  cat <<'END'
sh install.sh [--dir DIR] [--version VERSION]

  --dir DIR          where tau goes; default: ~/.local/bin
  --version VERSION  such as 0.1.0; default: the latest release

TAU_OWNER         the GitHub account that publishes tau, instead of the one
                  that this script comes from
TAU_RELEASES_URL  where the releases are, instead of on GitHub
END
}

# The name of this machine in the names of files.
machine() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=macos ;;
    *) fail "this script is for Linux and macOS; for Windows download tau-windows-x64.exe or tau-windows-arm64.exe" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "there is no tau for $(uname -m)" ;;
  esac
  if [ "$system" = linux ] && (ldd --version 2>&1 || :) | grep -qi musl; then
    fail "tau needs glibc, and this Linux has musl"
  fi
  echo "$system-$processor"
}

# Fetches an address into a file, or ends.
fetch() {
  if command -v curl >/dev/null; then
    case $1 in https:*) only='=https' ;; *) only='=http' ;; esac
    curl --fail --silent --show-error --location --connect-timeout 30 \
      --speed-limit 1 --speed-time 60 \
      --proto "$only" --proto-redir "$only" --output "$2" "$1" ||
      fail "cannot fetch $1"
  elif command -v wget >/dev/null; then
    wget -q -T 60 -O "$2" "$1" || fail "cannot fetch $1"
  else
    fail "curl or wget is needed"
  fi
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sum=$(sha256sum <"$1")
  elif command -v shasum >/dev/null; then
    sum=$(shasum -a 256 <"$1")
  elif command -v openssl >/dev/null; then
    sum=$(openssl dgst -sha256 -r <"$1")
  else
    fail "sha256sum, shasum or openssl is needed to verify the download"
  fi
  echo "${sum%% *}"
}

say() {
  printf 'tau install: %s\n' "$1"
}

fail() {
  say "$1" >&2
  exit 1
}

main "$@"
