import { IN_TOTO_PAYLOAD_TYPE } from '../signature/statement.ts';
import type { BundleFiles } from './bundle-files.ts';

const ENTRY =
  '{"apiVersion":"0.0.2","kind":"hashedrekord","spec":{"hashedRekordV002":{"data":{"algorithm":"SHA2_256","digest":"%s"},' +
  '"signature":{"content":"%s","verifier":{"keyDetails":"%s","publicKey":{"rawBytes":"%s"}}}}}}';

const signatureCommand = (details: string): string =>
  details === 'PKIX_ED25519'
    ? 'openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in pae.bin -sigfile signature.der'
    : 'openssl dgst -sha256 -verify key.pem -signature signature.der pae.bin';

/** Commands that compute the root from the entry: one line for each hash, in the order of RFC 9162 2.1.3.2. */
const inclusion = ({ path }: BundleFiles): readonly string[] =>
  path.map(({ file, isLeft }) => {
    const pair = isLeft ? `${file} "$work/node"` : `"$work/node" ${file}`;
    return `{ printf '\\001'; cat ${pair}; } | openssl dgst -sha256 -binary > "$work/up"; mv "$work/up" "$work/node"`;
  });

/** Builds a printf command that prints the text, with the given values replaced by the output of commands. */
const format = (text: string, fills: readonly (readonly [value: string, command: string])[]): string => {
  let form = '';
  let rest = text;
  const commands: string[] = [];
  const literal = (part: string): string =>
    part.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n').replaceAll("'", `'\\''`);
  for (const [value, command] of fills) {
    const at = rest.indexOf(value);
    if (at < 0) continue;
    form += `${literal(rest.slice(0, at))}%s`;
    rest = rest.slice(at + value.length);
    commands.push(` "$(${command})"`);
  }
  return `printf '${form}${literal(rest)}'${commands.join('')}`;
};

const others = ({ files, path }: BundleFiles): readonly string[] => {
  const textOf = (path: string): string => files.find((file) => file.path === path)?.bytes.toString() ?? '';
  const filled = (path: string): [string, string] => [
    files.find((file) => file.path === path)?.bytes.toString('base64') ?? '',
    `openssl base64 -A -in ${path}`,
  ];
  const note = textOf('checkpoint.note');
  const envelope = [filled('statement.json'), filled('signature.der')];
  const bundle = format(textOf('bundle.json'), [
    ...envelope,
    filled('entry.json'),
    [JSON.stringify(note).slice(1, -1), `sed 's/$/\\\\n/' checkpoint.note | tr -d '\\n'`],
    ...path.map(({ file }) => filled(file)),
  ]);
  return [
    `${format(textOf('envelope.json'), envelope)} | cmp - envelope.json || refuse 6 'envelope.json is of something else'`,
    `${format(note, [[textOf('checkpoint.txt').trimEnd(), 'cat checkpoint.txt']])} | cmp - checkpoint.note ||`,
    `  refuse 6 'checkpoint.note is of something else'`,
    `${bundle} | cmp - bundle.json || refuse 6 'bundle.json is of something else'`,
  ];
};

interface RecipeOptions {
  readonly trust?: string;
  /** Name of the statement in error lines: ASCII without quotes. */
  readonly name?: string;
}

/** Writes shell commands that check a statement in its archive directory with sh, openssl 3 and standard tools only. */
export const recipeOf = (
  bundle: BundleFiles,
  { trust = '../trust.json', name = 'this statement' }: RecipeOptions = {},
) =>
  [
    'set -eu',
    'work=$(mktemp -d)',
    `trap 'rm -rf "$work"' EXIT`,
    `refuse() { echo "REFUSED: ${name}, check $1: $2" >&2; exit 1; }`,
    `trusted() { tr -d '[:space:]' < ${trust} | grep -qF "$1"; }`,
    'spki() { openssl pkey -pubin -in "$1" -outform DER; }',
    '',
    '# 1. What was signed is this statement, behind its type and its length (DSSE).',
    `{ printf 'DSSEv1 ${IN_TOTO_PAYLOAD_TYPE.length} ${IN_TOTO_PAYLOAD_TYPE} %s ' "$(($(wc -c < statement.json)))"; cat statement.json; } | cmp - pae.bin ||`,
    `  refuse 1 'pae.bin is not statement.json behind its type and its length'`,
    '',
    '# 2. The key signed it, and is one that the trust document names.',
    `${signatureCommand(bundle.keyDetails)} ||`,
    `  refuse 2 'signature.der is not a signature of this key over pae.bin'`,
    `trusted "\\"hint\\":\\"$(spki key.pem | sha256sum | cut -c1-64)\\"" || refuse 2 'this key is not in trust.json'`,
    '',
    '# 3. The log entry is of exactly this digest, this signature and this key.',
    `printf '${ENTRY}' \\`,
    '  "$(openssl dgst -sha256 -binary pae.bin | openssl base64 -A)" "$(openssl base64 -A -in signature.der)" \\',
    `  ${bundle.keyDetails} "$(spki key.pem | openssl base64 -A)" | cmp - entry.json ||`,
    `  refuse 3 'entry.json is not of this digest, this signature and this key'`,
    '',
    `# 4. The entry is number ${bundle.index} in the tree of ${bundle.treeSize}: its hash leads to the root (RFC 9162).`,
    `{ printf '\\000'; cat entry.json; } | openssl dgst -sha256 -binary > "$work/node"`,
    ...inclusion(bundle),
    'test "$(openssl base64 -A -in "$work/node")" = "$(sed -n 3p checkpoint.txt)" ||',
    `  refuse 4 'entry.json does not lead to the root in checkpoint.txt'`,
    '',
    '# 5. The log signed that root, under a key that the trust document names.',
    'openssl pkeyutl -verify -pubin -inkey log-key.pem -rawin -in checkpoint.txt -sigfile checkpoint.sig ||',
    `  refuse 5 'checkpoint.sig is not a signature of the log over checkpoint.txt'`,
    'trusted "\\"rawBytes\\":\\"$(spki log-key.pem | openssl base64 -A)\\"" ||',
    `  refuse 5 'the key of the log is not in trust.json'`,
    '',
    '# 6. The files for other programs hold the same.',
    ...others(bundle),
    '',
  ].join('\n');
