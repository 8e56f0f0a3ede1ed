import { exactBase64 } from '@landfall/attestation/signature/signed-note';
import { Fault } from '@landfall/kernel/core/fault';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import { digest as digestSchema, instant, oneOf, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { expectCurrent, type KitRoot, keysOf, type SignedRoot } from '../roots/root.ts';
import { countSigners, documentsOf, isSignedBy, type SignedDocument } from '../roots/signed-document.ts';

/** Media type of the manifest of an offline kit. */
const KIT_TYPE = 'application/vnd.landfall.offline-kit+json;version=1';

/** File of a kit that holds its signed manifest. */
export const MANIFEST_FILE = 'manifest.json';

export const KIT_KINDS = ['feeds', 'release'] as const;
export type KitKind = (typeof KIT_KINDS)[number];

const closed = { additionalProperties: false } as const;
const digest = Type.Unsafe<Digest>(digestSchema);
const size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Relative path of plain segments: nothing hidden, nothing that leads out of a directory. */
const path = patterned(
  '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,127}){0,7}$',
  'must be a relative path of plain segments',
  { maxLength: 512 },
);

const component = Type.Object(
  {
    path,
    kind: oneOf('feed', 'release', 'attestation', 'trust', 'oci'),
    hash: digest,
    size,
    /** Numbers about its content, such as its records. */
    counts: Type.Record(Type.String({ pattern: '^[a-z][A-Za-z]{0,31}$' }), size),
  },
  closed,
);

const manifestSchema = Type.Object(
  {
    /** Version of this format. */
    version: Type.Literal(1),
    kitId: Type.String({ format: 'uuid' }),
    kind: oneOf(...KIT_KINDS),
    /** Line of kits in which sequences grow. */
    channel: patterned('^[a-z0-9][a-z0-9._-]{0,63}$', 'may have only lower-case letters, digits, dots and hyphens'),
    sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    /** Kit that this one continues, of whose components it omits some; null for a full kit. */
    previousKitDigest: Type.Union([digest, Type.Null()]),
    rootVersion: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    createdAt: instant,
    expiresAt: instant,
    components: Type.Array(component, { minItems: 1, maxItems: 10_000 }),
    /** The tar archive of the components, split into parts. */
    archive: Type.Object(
      {
        hash: digest,
        size,
        parts: Type.Array(Type.Object({ index: Type.Integer({ minimum: 1 }), size, hash: digest }, closed), {
          minItems: 1,
          maxItems: 10_000,
        }),
      },
      closed,
    ),
    /** Base64 signature over the canonical JSON without this field; empty in a kit that nobody signed yet. */
    signature: Type.String({ maxLength: 1_024 }),
  },
  closed,
);

export type KitManifest = Static<typeof manifestSchema>;
export type KitComponent = KitManifest['components'][number];
export type KitPart = KitManifest['archive']['parts'][number];
export type SignedKit = SignedDocument<KitManifest>;

const documents = documentsOf({
  noun: 'manifest of the kit',
  payloadType: KIT_TYPE,
  schema: manifestSchema,
  maxBytes: 8_388_608,
});

/** Bytes that the field `signature` signs (spec 2.7). */
const signedBytes = ({ signature: _, ...content }: KitManifest): Buffer => Buffer.from(canonicalJson(content));

const inconsistent = (message: string): Fault => new Fault('VAL_INVALID_VALUE', `The manifest of the kit ${message}.`);

/** Refuses paths of which one file system makes one file, or a file and a directory. */
const expectDistinctPaths = (components: readonly KitComponent[]): void => {
  const files = new Set<string>();
  for (const each of components) {
    const name = each.path.toLowerCase();
    if (files.has(name)) throw inconsistent(`declares ${each.path} twice`);
    files.add(name);
  }
  for (const name of files)
    for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1))
      if (files.has(name.slice(0, end))) throw inconsistent(`declares ${name.slice(0, end)} as a file and a directory`);
};

const expectParts = ({ size: total, parts }: KitManifest['archive']): void => {
  if (parts.some(({ index }, position) => index !== position + 1)) throw inconsistent('does not number its parts');
  if (parts.reduce((sum, part) => sum + part.size, 0) !== total)
    throw inconsistent('has parts whose sizes are not that of the archive');
};

/** Checks what the schema cannot say. @throws Fault VAL_INVALID_VALUE */
const expectConsistent = ({ components, archive, createdAt, expiresAt }: KitManifest): void => {
  expectDistinctPaths(components);
  expectParts(archive);
  const content = components.reduce((sum, each) => sum + each.size, 0);
  if (content > archive.size) throw inconsistent('has components that are larger than their archive');
  if (Date.parse(expiresAt) <= Date.parse(createdAt)) throw inconsistent('expires before it is created');
};

/** Reads the manifest of a kit without verifying who signed it. @throws Fault VAL_* */
export const readManifest = (text: string): SignedKit => {
  const kit = documents.read(text);
  expectConsistent(kit.value);
  return kit;
};

/** Signs the manifest of a new kit by every key; the first signature stands in the manifest too. */
export const signManifest = async (
  content: Omit<KitManifest, 'signature'>,
  [first, ...others]: readonly [Signer, ...Signer[]],
): Promise<SignedKit> => {
  const signature = await first.sign(Buffer.from(canonicalJson(content)));
  let kit = documents.draft({ ...content, signature: signature.toString('base64') });
  expectConsistent(kit.value);
  for (const signer of [first, ...others]) kit = await documents.sign(kit, signer);
  return kit;
};

/** Adds the signature of one more key to a kit. */
export const countersign = documents.sign;

const expectSigned = (kit: SignedKit, root: KitRoot): void => {
  const { value } = kit;
  const keys = keysOf(root);
  const signatures = countSigners(kit, keys);
  const signature = exactBase64(value.signature);
  const details = { kitId: value.kitId, rootVersion: root.version, signatures, threshold: root.threshold };
  if (signatures < root.threshold)
    throw new Fault(
      'kit_untrusted',
      `The kit ${value.kitId} lacks signatures of keys of root ${root.version}: it has ${signatures} of ${root.threshold}.`,
      details,
    );
  if (!signature || !isSignedBy(keys, signedBytes(value), signature))
    throw new Fault('kit_untrusted', `The signature in the manifest of the kit ${value.kitId} is not valid.`, details);
};

/** Time by which a kit is judged. */
export interface JudgementTime {
  readonly now: Date;
  /** Uncertainty of the anchor behind it. */
  readonly accuracySeconds: number;
}

/** Seconds that clocks of builders and sites may differ, as between an anchor and a wall clock (proofs 8.2). */
const CLOCK_DIFFERENCE_SECONDS = 300;

/** @throws Fault kit_expired, kit_from_future */
const expectValidNow = (
  { kitId, createdAt, expiresAt }: KitManifest,
  { now, accuracySeconds }: JudgementTime,
): void => {
  if (Date.parse(expiresAt) <= now.getTime())
    throw new Fault(
      'kit_expired',
      `The kit ${kitId} expired at ${expiresAt}; the time of this site is ${now.toISOString()}.`,
      { kitId, expiresAt },
    );
  if (Date.parse(createdAt) > now.getTime() + (accuracySeconds + CLOCK_DIFFERENCE_SECONDS) * 1_000)
    throw new Fault(
      'kit_from_future',
      `The kit ${kitId} was created at ${createdAt}; the time of this site is ${now.toISOString()}. Set a time anchor, or ask for a kit with the right time.`,
      { kitId, createdAt, now: now.toISOString(), accuracySeconds },
    );
};

/**
 * Verifies a kit under the installed root at the anchored time: the root is current, the kit names it, revokes neither
 * the kit nor the keys, and the kit has not expired and is not of the future.
 * @throws Fault root_expired, kit_root_mismatch, kit_untrusted, kit_revoked, kit_expired, kit_from_future
 */
export const verifyKit = (kit: SignedKit, { value: root }: SignedRoot, time: JudgementTime): void => {
  const { kitId, rootVersion } = kit.value;
  expectCurrent(root, time.now);
  if (rootVersion !== root.version)
    throw new Fault('kit_root_mismatch', `The kit names root ${rootVersion}; root ${root.version} is installed.`, {
      kitId,
      rootVersion,
      installed: root.version,
    });
  expectSigned(kit, root);
  if (root.revokedKits.includes(kit.digest))
    throw new Fault('kit_revoked', `Root ${root.version} revokes the kit ${kitId}.`, { kitId, digest: kit.digest });
  expectValidNow(kit.value, time);
};

/** Refuses a kit of feeds that is older than what another tenant of the installation has in force, since they share the feeds. */
export const expectNoOlder = ({ value, digest }: SignedKit, shared: InstalledKit | undefined): void => {
  const { kitId, channel, sequence } = value;
  if (!shared || shared.digest === digest || sequence > shared.sequence) return;
  throw new Fault(
    'kit_rolled_back',
    `The kit ${kitId} has the sequence ${sequence}; the feeds of this installation are at ${shared.sequence} of ${channel} already.`,
    { kitId, channel, sequence, installed: shared.sequence },
  );
};

/** Kit that is installed in a channel. */
interface InstalledKit {
  readonly sequence: number;
  readonly digest: string;
}

/**
 * Compares a kit with the installed one of its channel. Returns false for the same kit, which is installed already.
 * @throws Fault kit_rolled_back, kit_chain_broken
 */
export const isNewer = ({ value, digest: own }: SignedKit, installed: InstalledKit | undefined): boolean => {
  const { kitId, channel, sequence, previousKitDigest } = value;
  if (installed?.digest === own) return false;
  if (installed && sequence <= installed.sequence)
    throw new Fault(
      'kit_rolled_back',
      `The kit ${kitId} has the sequence ${sequence}; the channel ${channel} is at ${installed.sequence} already.`,
      { kitId, channel, sequence, installed: installed.sequence },
    );
  if (previousKitDigest !== null && previousKitDigest !== installed?.digest)
    throw new Fault(
      'kit_chain_broken',
      `The kit ${kitId} continues ${previousKitDigest}, which is not installed in ${channel}. Ask for a full kit.`,
      { kitId, channel, previousKitDigest, installed: installed?.digest ?? null },
    );
  return true;
};
