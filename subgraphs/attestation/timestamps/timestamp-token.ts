import { hash } from 'node:crypto';
import { ASN1Obj } from '@sigstore/core';

/** Reason why a timestamp proves nothing, in a readable message. */
export class TimestampRefused extends Error {
  override readonly name = 'TimestampRefused';
}

export const refuse: (reason: string) => never = (reason) => {
  throw new TimestampRefused(reason);
};

/** Reason of a token that stamps something else. */
export const OTHER_BYTES = 'its imprint is of other bytes';

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const maxBytes = 65_536;

const sha2: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Identifier of the signing certificate (RFC 5652 5.3): issuer and serial number, or subject key id. */
type SignerName = { readonly issuer: Buffer; readonly serialNumber: Buffer } | { readonly subjectKeyId: Buffer };

/** Timestamp response (RFC 3161 2.4.2) after every check that needs no certificate. */
export interface TimestampToken {
  readonly at: Date;
  /** Bytes of the nonce; undefined if the response has none. */
  readonly nonce: Buffer | undefined;
  /** Deviation of the time that the authority admits; 0 if the response names none. */
  readonly accuracySeconds: number;
  readonly signer: SignerName;
  /** Digest of the signing certificate in ESSCertIDv2. */
  readonly certificate: { readonly digest: string; readonly hash: Buffer };
  /** Signed attributes, encoded as they are signed. */
  readonly signed: Buffer;
  readonly signatureAlgorithm: string;
  /** Algorithm of the message digest, which also applies to a signature algorithm that names none. */
  readonly digest: string;
  readonly signature: Buffer;
  /** Certificates that came with the token, DER, in no order. Nothing is known of them. */
  readonly certificates: readonly Buffer[];
}

const isSequence = ({ tag }: ASN1Obj): boolean => tag.isUniversal() && tag.constructed && tag.number === 0x10;

const isSet = ({ tag }: ASN1Obj): boolean => tag.isUniversal() && tag.constructed && tag.number === 0x11;

const sub = (object: ASN1Obj, index: number, name: string): ASN1Obj =>
  (isSequence(object) ? object.subs[index] : undefined) ?? refuse(`the token has no ${name}`);

const tagged = ({ tag, subs }: ASN1Obj, number: number, name: string): ASN1Obj =>
  (tag.isContextSpecific(number) ? subs[0] : undefined) ?? refuse(`the token has no ${name}`);

const sha2Of = (algorithm: ASN1Obj, name: string): string =>
  sha2[sub(algorithm, 0, name).toOID()] ?? refuse(`${name} is not of the SHA-2 family`);

const octets = (object: ASN1Obj, name: string): Buffer =>
  object.tag.isOctetString() ? object.value : refuse(`the token has no ${name}`);

/** Parses a time (RFC 3161 2.4.2): UTC in seconds, or with a fraction without trailing zeros. */
const timeOf = ({ tag, value }: ASN1Obj): Date => {
  const [isRead, year, month, day, hours, minutes, seconds, fraction = '0'] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/.exec(value.toString('latin1')) ?? [];
  const at = new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  return isRead && tag.isGeneralizedTime() && !Number.isNaN(at.getTime()) ? at : refuse('its time cannot be read');
};

type TstInfo = Pick<TimestampToken, 'at' | 'nonce' | 'accuracySeconds'>;

/** Reads Accuracy (RFC 3161 2.4.2): seconds, then milliseconds and microseconds with tags of their own. */
const accuracyOf = (accuracy: ASN1Obj | undefined): number =>
  (accuracy?.subs ?? []).reduce((seconds, { tag, value }) => {
    const part = value.readUIntBE(0, Math.min(value.length, 6));
    if (tag.isContextSpecific(0)) return seconds + part / 1e3;
    return seconds + (tag.isContextSpecific(1) ? part / 1e6 : part);
  }, 0);

/** Parses TSTInfo (RFC 3161 2.4.2): version, policy, imprint, serial number, time, then optional fields. */
const readTstInfo = (info: ASN1Obj, signedBytes: Buffer): TstInfo => {
  if (sub(info, 0, 'version').toInteger() !== 1n) return refuse('its version is not 1');
  const imprint = sub(info, 2, 'imprint');
  const digest = sha2Of(sub(imprint, 0, 'imprint'), 'the hash of the imprint');
  if (!octets(sub(imprint, 1, 'imprint'), 'imprint').equals(hash(digest, signedBytes, 'buffer')))
    return refuse(OTHER_BYTES);
  const options = info.subs.slice(5);
  // Extensions may change the meaning of the time, and we know none (RFC 3161 2.4.2, critical ones must be understood).
  if (options.some(({ tag }) => tag.isContextSpecific(1))) return refuse('it has extensions, of which none is known');
  return {
    at: timeOf(sub(info, 4, 'time')),
    nonce: options.find(({ tag }) => tag.isInteger())?.value,
    accuracySeconds: accuracyOf(options.find(isSequence)),
  };
};

const only = <T>(items: readonly T[], name: string): T => {
  const [item, ...others] = items;
  return item !== undefined && others.length === 0 ? item : refuse(`it does not have exactly one ${name}`);
};

const onlyValue = (each: ASN1Obj, name: string): ASN1Obj => {
  const values = sub(each, 1, name);
  return only(isSet(values) ? values.subs : [], name);
};

/** Reads the only value of the only attribute of a type. */
const attribute = (attributes: ASN1Obj, type: string, name: string): ASN1Obj =>
  only(
    attributes.subs.filter((each) => sub(each, 0, name).toOID() === type).map((each) => onlyValue(each, name)),
    name,
  );

/** Reads ESSCertIDv2 (RFC 5816 2.2, RFC 5035 4): the first entry is the signing certificate; SHA-256 by default. */
const readCertificateId = (attributes: ASN1Obj): TimestampToken['certificate'] => {
  const signingCertificate = attribute(attributes, SIGNING_CERTIFICATE_V2, 'ESSCertIDv2');
  const id = sub(sub(signingCertificate, 0, 'ESSCertIDv2'), 0, 'ESSCertIDv2');
  const first = sub(id, 0, 'ESSCertIDv2');
  const digest = isSequence(first) ? sha2Of(first, 'the hash of ESSCertIDv2') : 'sha256';
  return { digest, hash: octets(isSequence(first) ? sub(id, 1, 'ESSCertIDv2') : first, 'ESSCertIDv2') };
};

const readSignerName = (name: ASN1Obj): SignerName =>
  name.tag.isContextSpecific(0)
    ? { subjectKeyId: name.value }
    : { issuer: sub(name, 0, 'issuer').toDER(), serialNumber: sub(name, 1, 'serial number').value };

const derLength = (length: number): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
};

/** Encodes the attributes as the signed SET instead of their context tag (RFC 5652 5.4). */
const asSet = ({ value }: ASN1Obj): Buffer => Buffer.concat([Buffer.of(0x31), derLength(value.length), value]);

/** Parses SignerInfo (RFC 5652 5.3): version, name, digest algorithm, attributes, signature algorithm, signature. */
const readSigner = (signer: ASN1Obj, tstInfo: Buffer): Omit<TimestampToken, keyof TstInfo | 'certificates'> => {
  const digest = sha2Of(sub(signer, 2, 'digest'), 'the digest of the signer');
  const attributes = sub(signer, 3, 'attributes');
  if (!attributes.tag.isContextSpecific(0)) return refuse('it has no signed attributes');
  if (attribute(attributes, CONTENT_TYPE, 'content type').toOID() !== TST_INFO)
    return refuse('what is signed is not a time');
  const messageDigest = octets(attribute(attributes, MESSAGE_DIGEST, 'message digest'), 'message digest');
  if (!messageDigest.equals(hash(digest, tstInfo, 'buffer')))
    return refuse('the signed digest is not that of its time');
  return {
    signer: readSignerName(sub(signer, 1, 'signer')),
    certificate: readCertificateId(attributes),
    signed: asSet(attributes),
    digest,
    signatureAlgorithm: sub(sub(signer, 4, 'signature algorithm'), 0, 'signature algorithm').toOID(),
    signature: octets(sub(signer, 5, 'signature'), 'signature'),
  };
};

/** Parses SignedData (RFC 5652 5.1) of the response's token: a TSTInfo, exactly one signer, and certificates if there are any. */
const readSignedData = (token: ASN1Obj): { tstInfo: Buffer; signer: ASN1Obj; certificates: readonly Buffer[] } => {
  if (sub(token, 0, 'content type').toOID() !== SIGNED_DATA) return refuse('the token is not signed data');
  const signedData = tagged(sub(token, 1, 'content'), 0, 'content');
  const content = sub(signedData, 2, 'content');
  if (sub(content, 0, 'content').toOID() !== TST_INFO) return refuse('what is signed is not a time');
  const signers = isSequence(signedData) ? signedData.subs.at(-1) : undefined;
  return {
    tstInfo: octets(tagged(sub(content, 1, 'time'), 0, 'time'), 'time'),
    signer: only(signers && isSet(signers) ? signers.subs : [], 'signer'),
    certificates: signedData.subs.flatMap(({ tag, subs }) =>
      tag.isContextSpecific(0) ? subs.filter(isSequence).map((each) => each.toDER()) : [],
    ),
  };
};

/** Parses a DER response over `signedBytes`. Throws TimestampRefused or an error of the ASN.1 parser. */
export const readTimestamp = (response: Buffer, signedBytes: Buffer): TimestampToken => {
  if (response.length > maxBytes) return refuse(`it is larger than ${maxBytes} bytes`);
  // A copy, since the reader requires a buffer with memory of its own.
  const root = ASN1Obj.parseBuffer(Buffer.from(Uint8Array.from(response).buffer));
  const status = sub(sub(root, 0, 'status'), 0, 'status').toInteger();
  if (status !== 0n) return refuse(`the authority did not grant it (status ${status})`);
  const { tstInfo, signer, certificates } = readSignedData(sub(root, 1, 'time'));
  const info = readTstInfo(ASN1Obj.parseBuffer(Buffer.from(Uint8Array.from(tstInfo).buffer)), signedBytes);
  return { ...info, ...readSigner(signer, tstInfo), certificates };
};
