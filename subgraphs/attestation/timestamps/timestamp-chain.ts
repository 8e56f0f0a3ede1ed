import { hash, verify, X509Certificate } from 'node:crypto';
import { ASN1Obj } from '@sigstore/core';
import { refuse, type TimestampToken } from './timestamp-token.ts';

/** Key purpose of a certificate that signs timestamps (RFC 3161 2.3). */
export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SUBJECT_KEY_ID = '2.5.29.14';
const BASIC_CONSTRAINTS = '2.5.29.19';
const leastModulus = 2_048;
/** Certificates between the signer and a root, at most. */
const longestPath = 8;

export const NO_AUTHORITY = 'no trusted authority signed it';

/** Signature algorithms of the SHA-2 family with their kind of key; without a digest if the message's own is used. */
const algorithms: Readonly<Record<string, { readonly key: string; readonly digest?: string }>> = {
  '1.2.840.10045.4.3.2': { key: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', digest: 'sha512' },
  '1.2.840.113549.1.1.11': { key: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', digest: 'sha512' },
  '1.2.840.113549.1.1.1': { key: 'rsa' },
};

interface Extension {
  readonly isCritical: boolean;
  readonly value: Buffer;
}

/** Certificate with the fields that node:crypto does not expose. */
interface Certificate {
  readonly x509: X509Certificate;
  readonly issuer: Buffer;
  readonly serialNumber: Buffer;
  readonly signatureAlgorithm: string;
  readonly extensions: ReadonlyMap<string, Extension>;
}

const parse = (der: Uint8Array): ASN1Obj => ASN1Obj.parseBuffer(Buffer.from(Uint8Array.from(der).buffer));

const extensionOf = ({ subs }: ASN1Obj): readonly [string, Extension] => {
  const [oid, ...rest] = subs;
  const value = rest.at(-1);
  if (!oid || !value) return refuse('a certificate of the authority cannot be read');
  return [oid.toOID(), { isCritical: rest.length === 2 && (rest[0]?.toBoolean() ?? false), value: value.value }];
};

/** Parses a certificate (RFC 5280 4.1): [version], serial number, algorithm, issuer, …, [3] extensions. */
const readCertificate = (der: Uint8Array): Certificate => {
  const [tbs, algorithm] = parse(der).subs;
  const fields = tbs?.subs ?? [];
  const [serialNumber, , issuer] = fields[0]?.tag.isContextSpecific(0) ? fields.slice(1) : fields;
  const oid = algorithm?.subs[0];
  if (!serialNumber || !issuer || !oid) return refuse('a certificate of the authority cannot be read');
  const extensions = fields.find(({ tag }) => tag.isContextSpecific(3))?.subs[0]?.subs ?? [];
  return {
    x509: new X509Certificate(der),
    issuer: issuer.toDER(),
    serialNumber: serialNumber.value,
    signatureAlgorithm: oid.toOID(),
    extensions: new Map(extensions.map(extensionOf)),
  };
};

const isNamed = ({ issuer, serialNumber, extensions }: Certificate, { signer }: TimestampToken): boolean => {
  if ('issuer' in signer) return signer.issuer.equals(issuer) && signer.serialNumber.equals(serialNumber);
  const id = extensions.get(SUBJECT_KEY_ID);
  return id !== undefined && parse(id.value).value.equals(signer.subjectKeyId);
};

/** Checks that the key's only purpose is timestamps, and that this extension is critical (RFC 3161 2.3). */
const checkPurpose = ({ extensions, x509 }: Certificate): void => {
  const usage = extensions.get(EXTENDED_KEY_USAGE);
  if (!usage) refuse('the certificate of the authority is not for timestamps');
  const purposes = parse(usage.value).subs.map((purpose) => purpose.toOID());
  if (!purposes.includes(TIME_STAMPING)) refuse('the certificate of the authority is not for timestamps');
  if (purposes.length !== 1) refuse('the certificate of the authority is not for timestamps alone');
  if (!usage.isCritical) refuse('the certificate of the authority does not insist on its purpose (critical)');
  if (x509.ca) refuse('the certificate of the authority may issue others');
};

const pathLength = ({ extensions }: Certificate): number => {
  const constraints = extensions.get(BASIC_CONSTRAINTS);
  const length = constraints && parse(constraints.value).subs[1];
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length.toInteger());
};

/** Checks that the key of a certificate signed another one, and that their names fit. */
export const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

const checkLink = (certificate: Certificate, issuer: Certificate, below: number): void => {
  // OpenSSL compares names and key ids here, and asks for keyCertSign where the issuer says what its key is for.
  if (!isIssuedBy(certificate.x509, issuer.x509)) refuse('the certificate of the authority does not lead to its root');
  if (!issuer.x509.ca || pathLength(issuer) < below) refuse('a certificate above the authority may not issue others');
  if (algorithms[certificate.signatureAlgorithm]?.digest === undefined)
    refuse('a certificate of the authority is not signed with SHA-2');
};

const checkChain = (chain: readonly Certificate[], time: Date): void => {
  for (const [index, certificate] of chain.entries()) {
    const { validFromDate, validToDate } = certificate.x509;
    if (time < validFromDate || time > validToDate) refuse('a certificate of the authority was not valid at that time');
    const issuer = chain[index + 1];
    // The certificates between the leaf and this issuer (RFC 5280 4.2.1.9).
    if (issuer) checkLink(certificate, issuer, index);
  }
};

const checkSignature = ({ x509: { publicKey } }: Certificate, token: TimestampToken): void => {
  const algorithm = algorithms[token.signatureAlgorithm];
  if (!algorithm || algorithm.key !== publicKey.asymmetricKeyType) refuse('its signature is not of a kind we take');
  const { modulusLength = leastModulus } = publicKey.asymmetricKeyDetails ?? {};
  if (modulusLength < leastModulus) refuse('the key of the authority is too short');
  if (!verify(algorithm.digest ?? token.digest, token.signed, publicKey, token.signature))
    refuse('its signature is not that of the authority');
};

/** Chain from the signer to a trusted root through the certificates that the token has; none if they do not lead there. */
const chainTo = (root: Certificate, token: TimestampToken): readonly Certificate[] => {
  const known = token.certificates.map(readCertificate);
  const chain: Certificate[] = [];
  for (
    let next = known.find((each) => isNamed(each, token));
    next && !chain.includes(next) && chain.length < longestPath;
    next = known.find((each) => next && isIssuedBy(next.x509, each.x509))
  ) {
    chain.push(next);
    if (isIssuedBy(next.x509, root.x509)) return [...chain, root];
  }
  return [];
};

/**
 * Checks the signer of a token and that its chain was valid at the token's time. Throws TimestampRefused.
 * @param certificates the chain, signing certificate first; or a root alone, to which the token's own have to lead
 */
export const checkAuthority = (token: TimestampToken, certificates: readonly Uint8Array[]): void => {
  const trusted = certificates.map(readCertificate);
  const [first, ...others] = trusted;
  const chain = first?.x509.ca && others.length === 0 ? chainTo(first, token) : trusted;
  const [leaf] = chain;
  if (!leaf || !isNamed(leaf, token)) refuse(NO_AUTHORITY);
  const { digest, hash: expected } = token.certificate;
  if (!hash(digest, leaf.x509.raw, 'buffer').equals(expected)) refuse('it names another certificate (ESSCertIDv2)');
  checkPurpose(leaf);
  checkSignature(leaf, token);
  checkChain(chain, token.at);
};
