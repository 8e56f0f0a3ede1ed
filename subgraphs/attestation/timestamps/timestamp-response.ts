import { randomBytes } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import { der, generalizedTime, integer, octetString, oid, sequence, setOf, tagged } from './der.ts';

const SIGNED_DATA = oid('1.2.840.113549.1.7.2');
const TST_INFO = oid('1.2.840.113549.1.9.16.1.4');
const CONTENT_TYPE = oid('1.2.840.113549.1.9.3');
const MESSAGE_DIGEST = oid('1.2.840.113549.1.9.4');
const SIGNING_CERTIFICATE_V2 = oid('1.2.840.113549.1.9.16.2.47');
const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const SHA256 = sequence(oid('2.16.840.1.101.3.4.2.1'), der(0x05));
/** Policy `anyPolicy` (RFC 5280 4.2.1.4): the authority promises nothing beyond the time. */
const POLICY = oid('2.5.29.32.0');
const GRANTED = sequence(integer(Buffer.of(0)));
const SERIAL_BYTES = 16;

/** Certificate of the authority, with the parts that identify the signer. */
export interface SignerCertificate {
  readonly certificate: Buffer;
  /** Issuer's name, DER. */
  readonly issuer: Buffer;
  readonly serialNumber: Buffer;
}

/** Creates a positive serial number without a leading zero byte. */
const newSerialNumber = (): Buffer => Buffer.concat([Buffer.of(1), randomBytes(SERIAL_BYTES - 1)]);

/** Encodes TSTInfo (RFC 3161 2.4.2), version 1. */
const tstInfoOf = (data: Uint8Array, time: Date): Buffer =>
  sequence(
    integer(Buffer.of(1)),
    POLICY,
    sequence(SHA256, octetString(sha256Bytes(data))),
    integer(newSerialNumber()),
    generalizedTime(time),
  );

const attribute = (type: Buffer, value: Buffer): Buffer => sequence(type, setOf(value));

/** Creates a granted timestamp response (RFC 3161 2.4.2, RFC 5816) over `data`, with a time in whole seconds. */
export const timestampResponse = async (
  data: Uint8Array,
  time: Date,
  { certificate, issuer, serialNumber }: SignerCertificate,
  signer: Pick<Signer, 'sign'>,
): Promise<Buffer> => {
  const tstInfo = tstInfoOf(data, time);
  const attributes = setOf(
    attribute(CONTENT_TYPE, TST_INFO),
    attribute(MESSAGE_DIGEST, octetString(sha256Bytes(tstInfo))),
    attribute(SIGNING_CERTIFICATE_V2, sequence(sequence(sequence(octetString(sha256Bytes(certificate)))))),
  );
  // The SET is signed; in the message the same bytes have the tag [0] (RFC 5652 5.4).
  const signature = await signer.sign(attributes);
  const signerInfo = sequence(
    integer(Buffer.of(1)),
    sequence(issuer, integer(serialNumber)),
    SHA256,
    Buffer.concat([Buffer.of(0xa0), attributes.subarray(1)]),
    ECDSA_WITH_SHA256,
    octetString(signature),
  );
  const signedData = sequence(
    integer(Buffer.of(3)),
    setOf(SHA256),
    sequence(TST_INFO, tagged(0, octetString(tstInfo))),
    tagged(0, certificate),
    setOf(signerInfo),
  );
  return sequence(GRANTED, sequence(SIGNED_DATA, tagged(0, signedData)));
};
