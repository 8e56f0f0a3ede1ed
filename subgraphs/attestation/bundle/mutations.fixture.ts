import { ed25519KeyId } from '../signature/signed-note.ts';
import { createKey, ORIGIN, type TestPlatform } from './bundle.fixture.ts';
import type { CheckName } from './verification.ts';

/** JSON document with an editor for single paths. */
export class Editing {
  #value: unknown;

  constructor(text: string) {
    this.#value = JSON.parse(text);
  }

  get text(): string {
    return JSON.stringify(this.#value);
  }

  /** Replaces the value at a dotted path by the result of `change`; undefined removes it. */
  set(path: string, change: (old: unknown) => unknown): void {
    this.#value = changed(this.#value, path.split('.'), change);
  }

  /** Replaces text at a dotted path. */
  write(path: string, change: (old: string) => string): void {
    this.set(path, (old) => change(String(old)));
  }
}

const changed = (value: unknown, [name, ...rest]: readonly string[], change: (old: unknown) => unknown): unknown => {
  if (name === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === name ? changed(item, rest, change) : item));
  const complete = typeof value === 'object' && value !== null ? value : {};
  return { ...complete, [name]: changed(Reflect.get(complete, name), rest, change) };
};

/** Flips one bit of a base64 text. */
export const flipped = (text: string, fromEnd = 5): string => {
  const bytes = Buffer.from(text, 'base64');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - fromEnd) ^ 1, bytes.length - fromEnd);
  return bytes.toString('base64');
};

/** Change to a bundle, and the check that must refuse it. */
interface Mutation {
  readonly name: string;
  readonly check: CheckName;
  readonly slug: string;
  /** Whether Sigstore's library alone accepts the changed bundle. */
  readonly isLeftToUs?: true;
  change(bundle: Editing, platform: TestPlatform): Promise<void> | void;
}

const MATERIAL = 'verificationMaterial';
const ENTRY = `${MATERIAL}.tlogEntries.0`;
const PROOF = `${ENTRY}.inclusionProof`;
const NOTE = `${PROOF}.checkpoint.envelope`;
const ENVELOPE = 'dsseEnvelope';

const duplicated = (list: unknown): unknown => (Array.isArray(list) ? [...list, ...list] : list);
const none = (): unknown[] => [];
const absent = (): undefined => undefined;
const otherKey = createKey('ed25519');

/** Signs a changed note with the log's own key, under a name of choice. */
const resigned = async (
  platform: TestPlatform,
  note: string,
  rewrite: (text: string) => string,
  name = ORIGIN,
): Promise<string> => {
  const text = rewrite(note.slice(0, note.indexOf('\n\n') + 1));
  const keyHash = ed25519KeyId(ORIGIN, platform.logKey.spki).subarray(0, 4);
  const signature = Buffer.concat([keyHash, await platform.logKey.sign(Buffer.from(text))]);
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`;
};

const resign = async (
  bundle: Editing,
  platform: TestPlatform,
  rewrite: (text: string) => string,
  name?: string,
): Promise<void> => {
  let note = '';
  bundle.write(NOTE, (old) => {
    note = old;
    return old;
  });
  const signed = await resigned(platform, note, rewrite, name);
  bundle.write(NOTE, () => signed);
};

const envelopeMutations: readonly Mutation[] = [
  {
    name: 'the payload',
    check: 'signature',
    slug: 'signature-invalid',
    change: (b) => b.write(`${ENVELOPE}.payload`, flipped),
  },
  {
    name: 'the payload type',
    check: 'signature',
    slug: 'payload-type',
    change: (b) => b.write(`${ENVELOPE}.payloadType`, () => 'application/json'),
  },
  {
    name: 'the signature',
    check: 'signature',
    slug: 'signature-invalid',
    change: (b) => b.write(`${ENVELOPE}.signatures.0.sig`, flipped),
  },
  {
    name: 'two signatures',
    check: 'signature',
    slug: 'signature-count',
    change: (b) => b.set(`${ENVELOPE}.signatures`, duplicated),
  },
  {
    name: 'no signature',
    check: 'signature',
    slug: 'signature-count',
    change: (b) => b.set(`${ENVELOPE}.signatures`, none),
  },
  {
    name: 'a key id of another key',
    check: 'signature',
    slug: 'signer-ambiguous',
    isLeftToUs: true,
    change: (b) => b.write(`${ENVELOPE}.signatures.0.keyid`, () => otherKey.keyId),
  },
  {
    name: 'an unknown signer',
    check: 'signature',
    slug: 'signer-unknown',
    change: (b) => b.write(`${MATERIAL}.publicKey.hint`, () => otherKey.keyId),
  },
  {
    name: 'another media type',
    check: 'signature',
    slug: 'bundle-malformed',
    isLeftToUs: true,
    change: (b) => b.write('mediaType', (old) => old.replace('0.3', '0.2')),
  },
];

const entryMutations: readonly Mutation[] = [
  { name: 'no log entry', check: 'body', slug: 'entry-count', change: (b) => b.set(`${MATERIAL}.tlogEntries`, none) },
  {
    name: 'two log entries',
    check: 'body',
    slug: 'entry-count',
    change: (b) => b.set(`${MATERIAL}.tlogEntries`, duplicated),
  },
  {
    name: 'the log body',
    check: 'body',
    slug: 'body-differs',
    change: (b) => b.write(`${ENTRY}.canonicalizedBody`, (old) => flipped(old, 12)),
  },
  {
    name: 'the kind of the entry',
    check: 'body',
    slug: 'body-kind',
    change: (b) => b.write(`${ENTRY}.kindVersion.kind`, () => 'dsse'),
  },
  {
    name: 'the version of the entry',
    check: 'body',
    slug: 'body-kind',
    change: (b) => b.write(`${ENTRY}.kindVersion.version`, () => '0.0.1'),
  },
  {
    name: 'the log id',
    check: 'checkpoint',
    slug: 'log-unknown',
    change: (b) => b.write(`${ENTRY}.logId.keyId`, flipped),
  },
  {
    name: 'a time that was added',
    check: 'timestamp',
    slug: 'time-unpromised',
    isLeftToUs: true,
    change: (b) => b.set(`${ENTRY}.integratedTime`, () => '1760000001'),
  },
  {
    name: 'a promise that was added',
    check: 'inclusion',
    slug: 'promise-unsupported',
    change: (b) => b.set(`${ENTRY}.inclusionPromise`, () => ({ signedEntryTimestamp: 'AAAA' })),
  },
  {
    name: 'the index outside the proof',
    check: 'inclusion',
    slug: 'index-differs',
    isLeftToUs: true,
    change: (b) => b.write(`${ENTRY}.logIndex`, () => '6'),
  },
];

const proofMutations: readonly Mutation[] = [
  { name: 'no proof', check: 'inclusion', slug: 'proof-missing', change: (b) => b.set(PROOF, absent) },
  {
    name: 'a hash of the proof',
    check: 'inclusion',
    slug: 'not-included',
    change: (b) => b.write(`${PROOF}.hashes.0`, flipped),
  },
  {
    name: 'a hash too many',
    check: 'inclusion',
    slug: 'not-included',
    change: (b) => b.set(`${PROOF}.hashes`, duplicated),
  },
  {
    name: 'both indexes',
    check: 'inclusion',
    slug: 'not-included',
    change: (b) => {
      b.write(`${ENTRY}.logIndex`, () => '6');
      b.write(`${PROOF}.logIndex`, () => '6');
    },
  },
  {
    name: 'the index of the proof',
    check: 'inclusion',
    slug: 'index-differs',
    change: (b) => b.write(`${PROOF}.logIndex`, () => '6'),
  },
  {
    name: 'the root of the proof',
    check: 'inclusion',
    slug: 'proof-differs',
    isLeftToUs: true,
    change: (b) => b.write(`${PROOF}.rootHash`, flipped),
  },
  {
    name: 'the size of the proof',
    check: 'inclusion',
    slug: 'proof-differs',
    isLeftToUs: true,
    change: (b) => b.write(`${PROOF}.treeSize`, () => '14'),
  },
];

const checkpointMutations: readonly Mutation[] = [
  {
    name: 'the size in the checkpoint',
    check: 'checkpoint',
    slug: 'checkpoint-unsigned',
    change: (b) => b.write(NOTE, (old) => old.replace('\n8\n', '\n9\n')),
  },
  {
    name: 'a signature name of one dot',
    check: 'checkpoint',
    slug: 'checkpoint-unsigned',
    isLeftToUs: true,
    change: (b) => b.write(NOTE, (old) => old.replace(`\u2014 ${ORIGIN}`, '\u2014 .')),
  },
  {
    name: "a checkpoint of the log's key under another origin",
    check: 'checkpoint',
    slug: 'checkpoint-unsigned',
    isLeftToUs: true,
    change: (b, platform) => resign(b, platform, (text) => text.replace(ORIGIN, 'other.example/log')),
  },
  {
    name: 'a checkpoint with a line more',
    check: 'checkpoint',
    slug: 'checkpoint-unsigned',
    isLeftToUs: true,
    change: (b, platform) => resign(b, platform, (text) => `${text}more\n`),
  },
  {
    name: 'a size with a zero before it',
    check: 'checkpoint',
    slug: 'checkpoint-unsigned',
    isLeftToUs: true,
    change: (b, platform) => resign(b, platform, (text) => text.replace('\n8\n', '\n08\n')),
  },
  {
    name: 'a smaller tree that the log signed',
    check: 'inclusion',
    slug: 'proof-differs',
    change: (b, platform) => resign(b, platform, (text) => text.replace('\n8\n', '\n4\n')),
  },
];

const witness = createKey('ed25519');

const witnessMutations: readonly Mutation[] = [
  {
    name: 'a witness signed in the place of the log',
    check: 'checkpoint',
    slug: 'checkpoint-unsigned',
    change: (bundle) =>
      bundle.write(NOTE, (old) => {
        const keyHash = ed25519KeyId(ORIGIN, witness.spki).subarray(0, 4);
        const line = Buffer.concat([keyHash, Buffer.alloc(64)]).toString('base64');
        return `${old.slice(0, old.indexOf('\n\n'))}\n\n\u2014 witness.example ${line}\n`;
      }),
  },
];

/** All changes that proofs 6.4 and 6.5 name, one at a time. */
export const mutations: readonly Mutation[] = [
  ...envelopeMutations,
  ...entryMutations,
  ...proofMutations,
  ...checkpointMutations,
  ...witnessMutations,
];
