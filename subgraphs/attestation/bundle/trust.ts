import { createPublicKey, type KeyObject } from 'node:crypto';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { instant } from '@landfall/kernel/operation/input';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type TrustMaterial, toTrustMaterial } from '@sigstore/verify';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { KeyDetails } from '../signature/hashed-rekord.ts';
import { ed25519KeyId, exactBase64 } from '../signature/signed-note.ts';
import { MalformedJson, parseStrictJson } from '../signature/strict-json.ts';

/**
 * Media type of the trust document of a platform: the Sigstore trusted root and the keys that its bundles hint at. An
 * ended key has `logSizes` beside its period, `[{origin, size}]`: the size of each log at its end, each log once. Later
 * entries do not count for that key, since a thief may have signed them; if an external authority attests the time of a
 * signature, that time counts instead. `logSizes` is absent until the end has passed.
 */
export const TRUST_MEDIA_TYPE = 'application/vnd.landfall.trust+json;version=1';
export const TRUSTED_ROOT_MEDIA_TYPE = 'application/vnd.dev.sigstore.trustedroot+json;version=0.1';

const MAX_TRUST_BYTES = 4_194_304;

/** Text that is no trust document. The message says what is wrong. */
export class MalformedTrust extends Error {
  override readonly name = 'MalformedTrust';
}

/** Sigstore's names of the two kinds of keys that the platform uses (PublicKeyDetails). */
export const keyDetails = {
  'ecdsa-p256-sha256': 'PKIX_ECDSA_P256_SHA_256',
  ed25519: 'PKIX_ED25519',
} as const satisfies Record<string, KeyDetails>;

/** Validity period; without an end while the key signs. */
interface Period {
  readonly start: Date;
  readonly end: Date | undefined;
}

interface TrustedKey {
  readonly publicKey: KeyObject;
  readonly spki: Buffer;
  readonly details: KeyDetails;
  readonly validFor: Period;
}

/** Current or former key that signs statements. */
export interface TrustedSigner extends TrustedKey {
  /** Number of entries by log origin when the key ended; undefined before that. */
  readonly logSizes: ReadonlyMap<string, number> | undefined;
}

/** Key of a log; after a rotation a log has several. */
export interface TrustedLogKey extends TrustedKey {
  readonly origin: string;
  /** C2SP key id, 32 bytes. */
  readonly keyId: Buffer;
}

/** Timestamp authority: its certificates in DER, leaf first. */
export interface TrustedAuthority {
  readonly certificates: readonly Buffer[];
  readonly validFor: Period;
  /** Whether the platform itself runs the authority, so that no other party attests its times. */
  readonly isOwn: boolean;
}

export interface Trust {
  readonly platformDomain: string;
  /** Signers by hint: SHA-256 of the SPKI, in hex. */
  readonly keys: ReadonlyMap<string, TrustedSigner>;
  readonly logKeys: readonly TrustedLogKey[];
  readonly authorities: readonly TrustedAuthority[];
  /** Trust material in the format of Sigstore's library. */
  readonly material: TrustMaterial;
}

const closed = { additionalProperties: false } as const;
const base64 = Type.String({ maxLength: 65_536 });
// Without a start the library treats a key as valid since ever.
const period = Type.Object({ start: instant, end: Type.Optional(instant) }, closed);
const detailsShape = Type.Enum(['PKIX_ECDSA_P256_SHA_256', 'PKIX_ED25519']);
const operator = Type.Optional(Type.String({ maxLength: 256 }));
const logId = Type.Object({ keyId: base64 }, closed);

const logShape = Type.Object(
  {
    baseUrl: Type.String({ pattern: '^https://[^\\s?#]+$', maxLength: 512 }),
    hashAlgorithm: Type.Literal('SHA2_256'),
    publicKey: Type.Object({ rawBytes: base64, keyDetails: Type.Literal('PKIX_ED25519'), validFor: period }, closed),
    logId,
    checkpointKeyId: logId,
    operator,
  },
  closed,
);

const authorityShape = Type.Object(
  {
    subject: Type.Optional(
      Type.Object({ organization: Type.Optional(Type.String()), commonName: Type.Optional(Type.String()) }, closed),
    ),
    uri: Type.Optional(Type.String({ maxLength: 2048 })),
    certChain: Type.Object(
      { certificates: Type.Array(Type.Object({ rawBytes: base64 }, closed), { minItems: 1, maxItems: 8 }) },
      closed,
    ),
    validFor: period,
    operator,
  },
  closed,
);

const logSizes = Type.Array(
  Type.Object({ origin: Type.String(), size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }, closed),
  { maxItems: 1000 },
);

const signerShape = Type.Object(
  {
    hint: Type.String(),
    rawBytes: base64,
    keyDetails: detailsShape,
    validFor: period,
    logSizes: Type.Optional(logSizes),
  },
  closed,
);

const shape = Type.Object(
  {
    mediaType: Type.Literal(TRUST_MEDIA_TYPE),
    platformDomain: Type.String({ minLength: 1, maxLength: 253 }),
    trustedRoot: Type.Object(
      {
        mediaType: Type.Literal(TRUSTED_ROOT_MEDIA_TYPE),
        tlogs: Type.Array(logShape, { minItems: 1, maxItems: 1000 }),
        certificateAuthorities: Type.Array(Type.Unknown(), { maxItems: 0 }),
        ctlogs: Type.Array(Type.Unknown(), { maxItems: 0 }),
        timestampAuthorities: Type.Array(authorityShape, { maxItems: 100 }),
      },
      closed,
    ),
    keys: Type.Array(signerShape, { minItems: 1, maxItems: 1000 }),
  },
  closed,
);

type TrustJson = Static<typeof shape>;

const validator = Compile(shape);
const fits = (value: unknown): value is TrustJson => validator.Check(value);

const refuse = (name: string): never => {
  throw new MalformedTrust(name);
};

const readPeriod = ({ start, end }: Static<typeof period>): Period => {
  const range = { start: new Date(start), end: end === undefined ? undefined : new Date(end) };
  return range.end && range.end < range.start ? refuse('a key ends before it starts') : range;
};

const decoded = (text: string, name: string): Buffer =>
  exactBase64(text) ?? refuse(`${name} is not base64 in its one spelling`);

const publicKeyOf = (spki: Buffer): KeyObject => {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return refuse('a key is no SubjectPublicKeyInfo');
  }
};

const detailsOf = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): KeyDetails | undefined => {
  if (asymmetricKeyType === 'ed25519') return keyDetails.ed25519;
  const isP256 = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? keyDetails['ecdsa-p256-sha256'] : undefined;
};

const readKey = (key: { rawBytes: string; keyDetails: string; validFor: Static<typeof period> }): TrustedKey => {
  const spki = decoded(key.rawBytes, 'a key');
  const publicKey = publicKeyOf(spki);
  const details = detailsOf(publicKey);
  return details === key.keyDetails
    ? { publicKey, spki, details, validFor: readPeriod(key.validFor) }
    : refuse(`a key is not what its details say: ${key.keyDetails}`);
};

const readLog = (log: Static<typeof logShape>): TrustedLogKey => {
  const key = readKey(log.publicKey);
  const origin = log.baseUrl.slice('https://'.length);
  const keyId = ed25519KeyId(origin, key.spki);
  const isNamed = [log.logId, log.checkpointKeyId].every(({ keyId: text }) => decoded(text, 'a log id').equals(keyId));
  return isNamed ? { ...key, origin, keyId } : refuse(`a key id of the log ${origin} is not that of its key`);
};

/** Reads `logSizes`. It must name every log, and only known ones, so that each entry can be judged. */
const readLogSizes = (
  { validFor, logSizes: input }: Static<typeof signerShape>,
  origins: ReadonlySet<string>,
): TrustedSigner['logSizes'] => {
  if (!input) return undefined;
  if (validFor.end === undefined) return refuse('a key that did not end has log sizes at its end');
  const sizes = new Map(input.map(({ origin, size }) => [origin, size]));
  const isComplete =
    sizes.size === input.length && sizes.size === origins.size && origins.isSupersetOf(new Set(sizes.keys()));
  return isComplete ? sizes : refuse('the log sizes of a key are not those of each log, once');
};

const readKeys = (keys: TrustJson['keys'], origins: ReadonlySet<string>): Trust['keys'] => {
  const byHint = new Map<string, TrustedSigner>();
  for (const entry of keys) {
    const key = readKey(entry);
    if (entry.hint !== sha256Hex(key.spki)) refuse('a hint is not the hash of its key');
    if (byHint.has(entry.hint)) refuse(`the key ${entry.hint} is listed twice`);
    byHint.set(entry.hint, { ...key, logSizes: readLogSizes(entry, origins) });
  }
  return byHint;
};

const isWithin = ({ start, end }: Period, time: Date): boolean => start <= time && (end === undefined || time <= end);

const readJson = (text: string): unknown => {
  try {
    return parseStrictJson(text, MAX_TRUST_BYTES);
  } catch (error) {
    throw error instanceof MalformedJson ? new MalformedTrust(error.message) : error;
  }
};

const materialOf = (root: TrustJson['trustedRoot'], keys: Trust['keys']): TrustMaterial => {
  try {
    return toTrustMaterial(TrustedRoot.fromJSON(root), (hint) => {
      const { publicKey, validFor } = keys.get(hint) ?? refuse(`the key ${hint} is not trusted`);
      return { publicKey, validFor: (at) => isWithin(validFor, at) };
    });
  } catch {
    return refuse('a certificate of a timestamp authority cannot be read');
  }
};

/** Checks whether a time lies in a key's validity period. */
export const isValidAt = ({ validFor }: Pick<TrustedKey, 'validFor'>, time: Date): boolean => isWithin(validFor, time);

/** Checks whether an entry was logged before the key ended (see `logSizes`). */
export const isLoggedInTime = ({ logSizes: sizes }: TrustedSigner, origin: string, index: number): boolean =>
  sizes === undefined || index < (sizes.get(origin) ?? 0);

/** Parses a trust document, and refuses members that the verifier would ignore. Throws MalformedTrust. */
export const parseTrust = (text: string): Trust => {
  const json = readJson(text);
  if (!fits(json)) {
    const [finding] = validator.Errors(json);
    return refuse(`${finding?.instancePath || 'the document'} ${finding?.message ?? 'has the wrong shape'}`);
  }
  const { trustedRoot, platformDomain } = json;
  const logKeys = trustedRoot.tlogs.map(readLog);
  const keys = readKeys(json.keys, new Set(logKeys.map(({ origin }) => origin)));
  return {
    platformDomain,
    keys,
    logKeys,
    authorities: trustedRoot.timestampAuthorities.map(({ certChain, validFor, operator: by }) => ({
      certificates: certChain.certificates.map(({ rawBytes }) => decoded(rawBytes, 'a certificate')),
      validFor: readPeriod(validFor),
      isOwn: by === platformDomain,
    })),
    material: materialOf(trustedRoot, keys),
  };
};
