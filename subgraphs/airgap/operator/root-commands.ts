import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { type Command, callersPath, parse, UsageError, wholeNumber } from '@landfall/kernel/operator/command';
import { type KitRoot, keysOf, roots } from '../roots/root.ts';
import { documentText } from '../roots/signed-document.ts';
import { readFileOf, signersOf } from './key-files.ts';

/** `landfall kit root key`. */
export const rootKey: Command = {
  help: `usage: landfall kit root key <file>

Creates an Ed25519 key pair. The private key goes to <file>, which only its owner may read, the public key to <file>.pub in
base64. Keep each private key with another person: roots and kits need the signatures of several.`,
  async run(args, terminal) {
    const { positionals } = parse(args, { options: {}, names: ['<file>'] });
    const path = callersPath(positionals[0] ?? '', terminal);
    const { privateKey } = generateKeyPairSync('ed25519');
    const { keyId, spki } = localSigner(privateKey);
    await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
    await writeFile(`${path}.pub`, `${spki.toString('base64')}\n`, { flag: 'wx' });
    terminal.print(`Key ${keyId}`);
    return 0;
  },
};

const newOptions = {
  version: { type: 'string' },
  threshold: { type: 'string' },
  expires: { type: 'string' },
  key: { type: 'string', multiple: true },
  'revoke-kit': { type: 'string', multiple: true },
  'revoke-key': { type: 'string', multiple: true },
} as const;

/** `landfall kit root new`. */
export const rootNew: Command = {
  help: `usage: landfall kit root new <file> --version <n> --threshold <m> --expires <time> --key <file.pub>...
                             [--revoke-kit <digest>]... [--revoke-key <id>]...

Writes the payload of a root to <file>: the public keys, the number of signatures that roots and kits need, and what is
revoked. A revocation is repeated in every later root. Sign it next, by 'landfall kit root sign'.`,
  async run(args, terminal) {
    const { values, positionals } = parse(args, { options: newOptions, names: ['<file>'] });
    const keys: string[] = [];
    for (const path of values.key ?? []) keys.push((await readFileOf(path, terminal)).trim());
    const root = {
      version: wholeNumber(values.version, '--version'),
      threshold: wholeNumber(values.threshold, '--threshold'),
      keys,
      expiresAt: values.expires ?? '',
      revokedKits: values['revoke-kit'] ?? [],
      revokedKeys: values['revoke-key'] ?? [],
    };
    const draft = roots.parseDraft(JSON.stringify(root));
    const usable: KitRoot = draft.value;
    if (keysOf(usable).length < usable.threshold)
      throw new UsageError(`${usable.threshold} signatures are needed, and only ${keysOf(usable).length} keys count.`);
    await writeFile(callersPath(positionals[0] ?? '', terminal), draft.envelope.payload, { flag: 'wx' });
    terminal.print(`Root ${usable.version}, ${draft.digest}`);
    return 0;
  },
};

/** `landfall kit root sign`. */
export const rootSign: Command = {
  help: `usage: landfall kit root sign <file> --key <private key>...

Adds the signatures of some keys to a root. The first signature turns the payload into a signed document.`,
  async run(args, terminal) {
    const { values, positionals } = parse(args, {
      options: { key: { type: 'string', multiple: true } },
      names: ['<file>'],
    });
    const path = positionals[0] ?? '';
    const text = await readFileOf(path, terminal);
    let root = roots.readOrDraft(text);
    for (const signer of await signersOf(values.key ?? [], terminal)) root = await roots.sign(root, signer);
    await writeFile(callersPath(path, terminal), documentText(root));
    terminal.print(`Root ${root.value.version}: signatures: ${root.envelope.signatures.length}.`);
    return 0;
  },
};
