# Zero without a trust document from elsewhere.
given=$#

what='check 1: SHA256SUMS is not that of the manifest, its envelope and its timestamp'
sha256sum manifest.dsse.json manifest.json manifest.tsr 2> "$said" | cmp - SHA256SUMS >> "$said" 2>&1

what='check 1: a file is not as manifest.json has it'
grep -o '"path":"[^"]*","sha256":"[0-9a-f]*"' manifest.json |
  sed 's/"path":"\(.*\)","sha256":"\(.*\)"/\2  \1/' > "$work/sums"
sha256sum --check --strict --quiet "$work/sums" > "$said" 2>&1

what='check 1: there are more or fewer files than manifest.json has'
files=$(sed -n 's/.*"entryCount":\([0-9]*\),.*/\1/p' manifest.json)
test "$(cut -c 67- "$work/sums" | sort -u | wc -l)" -eq "$files"
test "$(find . ! -type d | wc -l)" -eq "$((files + 4))"

what='check 1: there is a link or an empty directory, which no export has'
test -z "$(find . ! -type f ! -type d)"
test -z "$(find . -type d -empty)"

what='check 2: manifest.dsse.json is not an envelope of exactly manifest.json'
key=$(grep -o '"keyid":"[0-9a-f]*"' manifest.dsse.json | cut -d '"' -f 4)
signature=$(grep -o '"sig":"[^"]*"' manifest.dsse.json | cut -d '"' -f 4)
type=application/vnd.svc.evidence-export-manifest+json
{
  printf '{"payload":"'
  openssl base64 -A -in manifest.json
  printf '","payloadType":"%s","signatures":[{"keyid":"%s","sig":"%s"}]}' "$type" "$key" "$signature"
} | cmp - manifest.dsse.json > "$said" 2>&1

what='check 2: the key that signed is not in the trust document'
lines() { tr -d '[:space:]' < "$trust" | sed "s/{\"$1\":/\\
{\"$1\":/g" | grep "^{\"$1\":"; }
lines hint | grep -F "{\"hint\":\"$key\"" | head -n 1 > "$work/key"
test -s "$work/key"
grep -o '"rawBytes":"[^"]*"' "$work/key" | head -n 1 | cut -d '"' -f 4 |
  openssl base64 -d -A > "$work/key.der" 2> "$said"
test "$(sha256sum < "$work/key.der" | cut -c 1-64)" = "$key"

what='check 2: the signature is not of this key over manifest.json'
openssl pkey -pubin -inform DER -in "$work/key.der" -out "$work/key.pem" > "$said" 2>&1
printf '%s\n' "$signature" | openssl base64 -d -A > "$work/signature" 2>> "$said"
{ printf 'DSSEv1 %s %s %s ' "${#type}" "$type" "$(($(wc -c < manifest.json)))"; cat manifest.json; } > "$work/signed"
if openssl pkey -pubin -in "$work/key.pem" -text -noout | grep -qi ed25519; then
  openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/signed" -sigfile "$work/signature" >> "$said" 2>&1
else
  openssl dgst -sha256 -verify "$work/key.pem" -signature "$work/signature" "$work/signed" >> "$said" 2>&1
fi

what='check 3: manifest.tsr has no time that its authority signed'
openssl ts -reply -in manifest.tsr -token_out -out "$work/token" > "$said" 2>&1
# Whose certificate it is comes below; what follows is only what was signed, and nothing else in the token.
openssl cms -verify -inform DER -in "$work/token" -noverify -out "$work/info" > "$said" 2>&1
time=$(openssl asn1parse -inform DER -in "$work/info" 2> "$said" |
  sed -n 's/.*GENERALIZEDTIME *:\([0-9]\{14\}\).*/\1/p' | head -n 1)
test -n "$time"

# Seconds since 1970, for openssl: certificates are judged at that time and not today.
set -- $(printf '%s' "$time" | sed 's/\(....\)\(..\)\(..\)\(..\)\(..\)\(..\)/\1 \2 \3 \4 \5 \6/; s/ 0/ /g')
year=$1 month=$2
if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + $3 - 719469))
seconds=$((((days * 24 + $4) * 60 + $5) * 60 + $6))

# Whether the time lies in the first period of a line of the trust document.
valid() {
  period=$(printf '%s' "$1" | grep -o '"validFor":{[^}]*}' | head -n 1)
  starts=$(printf '%s' "$period" | sed -n 's/.*"start":"\([^"]*\)".*/\1/p' | tr -d 'TZ:-' | cut -c 1-14)
  ends=$(printf '%s' "$period" | sed -n 's/.*"end":"\([^"]*\)".*/\1/p' | tr -d 'TZ:-' | cut -c 1-14)
  [ "$starts" -le "$time" ] && [ "$time" -le "${ends:-99999999999999}" ]
}

what='check 3: no authority of the trust document gave this timestamp to manifest.dsse.json'
stamped=no
lines certChain > "$work/authorities"
while read -r authority; do
  valid "$authority" || continue
  printf '%s' "$authority" | sed 's/\].*//' | grep -o '"rawBytes":"[^"]*"' | cut -d '"' -f 4 | while read -r certificate; do
    printf -- '-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n' "$(printf '%s' "$certificate" | fold -w 64)"
  done > "$work/chain.pem"
  if openssl ts -verify -data manifest.dsse.json -in manifest.tsr -attime "$seconds" \
    -CAfile "$work/chain.pem" -untrusted "$work/chain.pem" > "$said" 2>&1; then stamped=yes; break; fi
done < "$work/authorities"
test $stamped = yes

what="check 4: the key was not valid at $time (UTC)"
valid "$(cat "$work/key")" > "$said" 2>&1

grep -o '{"artifactId":"[^"]*","reason":"[a-z]*"' manifest.json | cut -d '"' -f 4,8 | tr '"' ' ' | sed 's/^/MISSING  /' || true
bundle=$(grep -o '"bundleId":"[^"]*"' manifest.json | head -n 1 | cut -d '"' -f 4)
if [ "$given" -eq 0 ]; then
  echo "WHOLE: bundle $bundle: $files files, signed at $time (UTC), but only by the keys in this archive: they prove nothing about who made it. Name a trust document from elsewhere." >&2
  trap - EXIT
  rm -rf "$work"
  exit 2
fi
echo "OK: bundle $bundle: $files files, signed at $time (UTC) by a key that was valid then"
