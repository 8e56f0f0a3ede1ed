import { IN_TOTO_PAYLOAD_TYPE } from '../verification/statement.ts';
import type { Taken } from './taken.ts';

const ENTRY =
  '{"apiVersion":"0.0.2","kind":"hashedrekord","spec":{"hashedRekordV002":{"data":{"algorithm":"SHA2_256","digest":"%s"},' +
  '"signature":{"content":"%s","verifier":{"keyDetails":"%s","publicKey":{"rawBytes":"%s"}}}}}}';

const signatureCommand = (details: string): string =>
  details === 'PKIX_ED25519'
    ? 'openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in pae.bin -sigfile signature.der'
    : 'openssl dgst -sha256 -verify key.pem -signature signature.der pae.bin';

/** The commands that lead from the entry to the root: one line a hash, in the order of RFC 9162 2.1.3.2. */
const inclusion = ({ path }: Taken): readonly string[] =>
  path.map(({ file, isLeft }) => {
    const pair = isLeft ? `${file} "$work/node"` : `"$work/node" ${file}`;
    return `{ printf '\\001'; cat ${pair}; } | openssl dgst -sha256 -binary > "$work/up"; mv "$work/up" "$work/node"`;
  });

/**
 * Shell commands that check a statement of ours in its directory of the archive, one check a paragraph, by nothing but
 * sh, openssl 3 and sha256sum. `trust` is the trust document's path, as the commands find it.
 */
export const recipeOf = (taken: Taken, trust = '../trust.json'): string =>
  [
    'set -eu',
    'work=$(mktemp -d)',
    `trap 'rm -rf "$work"' EXIT`,
    '',
    '# 1. What was signed is this statement, behind its type and its length (DSSE).',
    `{ printf 'DSSEv1 ${IN_TOTO_PAYLOAD_TYPE.length} ${IN_TOTO_PAYLOAD_TYPE} %s ' "$(($(wc -c < statement.json)))"; cat statement.json; } | cmp - pae.bin`,
    '',
    '# 2. The key signed it, and is one that the trust document names.',
    signatureCommand(taken.keyDetails),
    `grep -q "\\"hint\\":\\"$(openssl pkey -pubin -in key.pem -outform DER | sha256sum | cut -c1-64)\\"" ${trust}`,
    '',
    '# 3. The log entry is of exactly this digest, this signature and this key.',
    `printf '${ENTRY}' \\`,
    '  "$(openssl dgst -sha256 -binary pae.bin | openssl base64 -A)" "$(openssl base64 -A -in signature.der)" \\',
    `  ${taken.keyDetails} "$(openssl pkey -pubin -in key.pem -outform DER | openssl base64 -A)" | cmp - entry.json`,
    '',
    `# 4. The entry is number ${taken.index} in the tree of ${taken.treeSize}: its hash leads to the root (RFC 9162).`,
    `{ printf '\\000'; cat entry.json; } | openssl dgst -sha256 -binary > "$work/node"`,
    ...inclusion(taken),
    'test "$(openssl base64 -A -in "$work/node")" = "$(sed -n 3p checkpoint.txt)"',
    '',
    '# 5. The log signed that root, under a key that the trust document names.',
    'openssl pkeyutl -verify -pubin -inkey log-key.pem -rawin -in checkpoint.txt -sigfile checkpoint.sig',
    `grep -qF "\\"rawBytes\\":\\"$(openssl pkey -pubin -in log-key.pem -outform DER | openssl base64 -A)\\"" ${trust}`,
    '',
  ].join('\n');
