#!/bin/sh
# tau @VERSION@ for @TARGET@. This is one file of two parts: a script of
# @HEADER_BYTES@ bytes, and an archive with Deno and the program. The first run
# unpacks it into a folder of the user's cache, each run starts it from there.
# In braces, so that a shell reads all of it before it does any of it.
{
hash=@HASH@
size=@SIZE@
umask 077
fail() { echo "tau: $1" >&2; exit 125; }

# Ours, and closed to others: who can write here can be us. It is made where
# it is not there. A run that finds all it needs starts no process but this ls.
is_private() {
  [ -d "$1" ] || mkdir -p "$1" 2>/dev/null
  [ -d "$1" ] && [ -O "$1" ] || return 1
  case $(LC_ALL=C ls -ldn "$1/.") in d????-??-*) ;; *) return 1 ;; esac
}

case ${XDG_CACHE_HOME:-} in
  /*) base=$XDG_CACHE_HOME/tau ;;
  *) case ${HOME:-} in /?*) base=$HOME/.cache/tau ;; *) base= ;; esac ;;
esac
# A folder that cannot be used gives way to one among the temporary files.
# There anybody may have put something in its place, so it is no link.
if [ -z "$base" ] || ! is_private "$base" ||
  { [ ! -w "$base" ] && [ ! -x "$base/$hash/deno" ]; }; then
  case ${TMPDIR:-} in /*) base=$TMPDIR ;; *) base=/tmp ;; esac
  base=$base/tau-$(id -u)
  { [ ! -L "$base" ] && is_private "$base"; } ||
    fail "no folder for its files: set XDG_CACHE_HOME to one that is yours alone ($base is not)"
fi
tree=$base/$hash

# What would change the permissions that Deno starts with, or its code.
unset NODE_OPTIONS NODE_CHANNEL_FD
case $(export -p) in *DENO_*)
  for name in $(env | sed -n 's/^\(DENO_[A-Za-z0-9_]*\)=.*/\1/p'); do
    case $name in DENO_CERT | DENO_TLS_CA_STORE) ;; *) unset "$name" ;; esac
  done ;;
esac
export DENO_DIR="$base/deno-dir" DENO_NO_UPDATE_CHECK=1

sha256() {
  if command -v sha256sum; then set -- sha256sum
  elif command -v shasum; then set -- shasum -a 256
  elif command -v openssl; then set -- openssl dgst -sha256 -r
  else return 1; fi >/dev/null
  "$@"
}

unpack() {
  full="cannot unpack into $base: it takes @NEED_MB@ MB there"
  # What runs that were killed have left, an hour ago or more.
  find "$base" -maxdepth 1 -name '.new.*' -mmin +60 -exec rm -rf {} + 2>/dev/null
  new=$base/.new.$hash.$$
  rm -rf "$new"
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  mkdir "$new" "$new/tree" || fail "$full"
  # Checked as a copy: the file itself may be replaced meanwhile.
  tail -c +@PAYLOAD_AT@ <"$0" | head -c "$size" >"$new/payload" || fail "$full"
  sum=$(sha256 <"$new/payload") || fail "no sha256sum, shasum or openssl to check this file with"
  if [ "${sum%% *}" != "$hash" ]; then
    # Either the copy is short or the file is.
    [ "$(wc -c <"$0")" -ge $((@HEADER_BYTES@ + size)) ] &&
      [ "$(wc -c <"$new/payload")" -lt "$size" ] && fail "$full"
    fail "this file is damaged: $0; get it again"
  fi
  # What is written in large pieces Linux keeps in large pieces: Deno starts a
  # millisecond sooner. Not every tar has the option.
  extract -b 2048 2>/dev/null || extract || fail "$full"
  rm "$new/payload"
  # One rename, which fails where another run was first. (mv would move into the folder.)
  "$new/tree/deno" eval --quiet --no-config --no-lock \
    'try { Deno.renameSync(Deno.args[0], Deno.args[1]) } catch { /* seen below */ }' \
    "$new/tree" "$tree" || fail "the Deno in it, for @TARGET@, does not run from $base on $(uname -sm)"
  rm -rf "$new"
  trap - EXIT INT TERM HUP
  is_unpacked || fail "$tree is damaged: remove it"
}
extract() { @DECODER@ "$new/payload" | tar "$@" -xof - -C "$new/tree"; }
is_unpacked() { [ -x "$tree/deno" ] && [ -f "$tree/app/main.js" ]; }

is_unpacked || unpack
exec "$tree/deno" run @RUN_FLAGS@ \
  "$tree/app/main.js" "$@"
exit 126
}
