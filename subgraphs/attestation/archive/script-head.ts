/**
 * Writes the beginning of an archive's verify.sh: usage, the trust document in `$trust`, the directory of the archive,
 * `$said` for the output of programs, and `$what`, which names the check that refused something.
 * @param purpose sentence without its end
 * @param trustFile trust document of the archive
 */
export const scriptHead = (purpose: string, trustFile: string): string => `#!/bin/sh
# ${purpose}. Needs sh, openssl 3, sha256sum and the tools of any system.
set -eu
usage='sh verify.sh [TRUST.json]   (the trust document from somebody you trust; without it the one in this archive)'
case $#:\${1-} in
  1:-h | 1:--help) echo "$usage"; exit 0 ;;
  0: | 1:[!-]*) ;;
  *) echo "REFUSED: $usage" >&2; exit 2 ;;
esac
trust=\${1-$(dirname "$0")/${trustFile}}
if ! [ -f "$trust" ] || ! [ -r "$trust" ]; then echo "REFUSED: no file to read at $trust" >&2; exit 1; fi
# It may be written with other white space than it was served with.
if ! tr -d '[:space:]' < "$trust" | grep -qF '"mediaType":"application/vnd.landfall.trust+json;version=1"'; then
  echo "REFUSED: $trust is not a trust document" >&2; exit 1
fi
case $trust in /*) ;; *) trust=$(pwd)/$trust ;; esac
cd "$(dirname "$0")"
# What the programs say is shown only where a check refuses something; the last line is the refusal.
work=$(mktemp -d)
said=$work/said
ended() {
  code=$?
  if [ $code -ne 0 ]; then
    cat "$said" >&2
    tail -n 1 "$said" | grep -q '^REFUSED: ' || echo "REFUSED: $what" >&2
  fi
  rm -rf "$work"
  exit $code
}
trap ended EXIT`;
