import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import type { LogHistory } from '../log/transparency-log.ts';
import { ed25519KeyId } from '../signature/signed-note.ts';
import type { AuthorityCertificates } from '../timestamps/timestamp.ts';
import { keyDetails, TRUST_MEDIA_TYPE, TRUSTED_ROOT_MEDIA_TYPE } from './trust.ts';

const SIGNING_CONFIG_MEDIA_TYPE = 'application/vnd.dev.sigstore.signingconfig.v0.2+json';

interface TrustParts {
  readonly platformDomain: string;
  /** All logs with statements of this platform; each signs with the same keys. */
  readonly logs: readonly LogHistory[];
  readonly logKeys: readonly VerificationKey[];
  readonly keys: readonly VerificationKey[];
  readonly authorities: readonly AuthorityCertificates[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const second = (time: Date): string => time.toISOString().replace(/\.\d{3}Z$/, 'Z');

/** Validity period of a key in whole seconds; the end is rounded up, since the key signs until then. */
const period = ({ validFrom, validUntil }: Pick<VerificationKey, 'validFrom' | 'validUntil'>) => ({
  start: second(validFrom),
  end: validUntil === null ? undefined : second(new Date(Math.ceil(validUntil.getTime() / 1000) * 1000)),
});

const publicKey = (key: VerificationKey) => ({
  rawBytes: base64(key.spki),
  keyDetails: keyDetails[key.algorithm],
  validFor: period(key),
});

const logInstance = (origin: string, key: VerificationKey) => {
  const keyId = base64(ed25519KeyId(origin, key.spki));
  return {
    baseUrl: `https://${origin}`,
    hashAlgorithm: 'SHA2_256',
    publicKey: publicKey(key),
    logId: { keyId },
    checkpointKeyId: { keyId },
  };
};

const trustedRootOf = ({ logs, logKeys, authorities, platformDomain }: TrustParts) => ({
  mediaType: TRUSTED_ROOT_MEDIA_TYPE,
  tlogs: logs.flatMap(({ origin }) => logKeys.map((key) => logInstance(origin, key))),
  certificateAuthorities: [],
  ctlogs: [],
  timestampAuthorities: authorities.map((authority) => ({
    subject: { organization: platformDomain, commonName: 'timestamp authority' },
    uri: authority.uri,
    certChain: { certificates: authority.certificates.map((der) => ({ rawBytes: base64(der) })) },
    validFor: period(authority),
    operator: authority.operator,
  })),
});

/** Size of each log when the key ended; undefined until all are known. */
const logSizesOf = ({ validUntil }: VerificationKey, logs: TrustParts['logs']) => {
  const sizes = logs.flatMap(({ origin, sizes: known }) => {
    const size = validUntil ? known.get(validUntil.getTime()) : undefined;
    return size === undefined ? [] : [{ origin, size }];
  });
  return sizes.length === logs.length ? sizes : undefined;
};

/**
 * Creates the Sigstore trusted root v0.1, which every Sigstore client accepts beside the bundle: canonical JSON text.
 */
export const createTrustedRoot = (parts: TrustParts): string => canonicalJson(trustedRootOf(parts));

/** Creates the Sigstore signing configuration v0.2 as canonical JSON, without the built-in timestamp authority. */
export const createSigningConfig = ({ platformDomain, logKeys, authorities }: TrustParts): string => {
  const [current] = logKeys;
  const service = { operator: platformDomain, validFor: current && period(current) };
  return canonicalJson({
    mediaType: SIGNING_CONFIG_MEDIA_TYPE,
    caUrls: [],
    oidcUrls: [],
    rekorTlogUrls: [{ ...service, url: `https://${platformDomain}/tlog`, majorApiVersion: 2 }],
    rekorTlogConfig: { selector: 'ANY' },
    tsaUrls: authorities
      .filter(({ operator }) => operator === undefined)
      .map(({ uri: url, ...authority }) => ({ url, majorApiVersion: 1, validFor: period(authority), operator: url })),
    tsaConfig: { selector: 'ANY' },
  });
};

/** Creates the trust document as canonical JSON: the trusted root and the keys that bundles hint at, with periods. */
export const createTrust = (parts: TrustParts): string =>
  canonicalJson({
    mediaType: TRUST_MEDIA_TYPE,
    platformDomain: parts.platformDomain,
    trustedRoot: trustedRootOf(parts),
    keys: parts.keys.map((key) => ({ hint: key.keyId, ...publicKey(key), logSizes: logSizesOf(key, parts.logs) })),
  });
