import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { HttpClient } from '@landfall/kernel/http/client';
import { checkAuthority, NO_AUTHORITY, TIME_STAMPING } from './timestamp-chain.ts';
import { readTimestamp, refuse, TimestampRefused, type TimestampToken } from './timestamp-token.ts';

/** A timestamp authority that is trusted: its certificates in DER, the one that signs first, the root last. */
export interface TimestampAuthority {
  readonly certificates: readonly Uint8Array[];
  /** Period in which its tokens count; unlimited unless given. */
  readonly validFor?: { readonly start: Date; readonly end?: Date | undefined };
}

/** A timestamp authority whose tokens the platform's bundles may have. */
export interface AuthorityCertificates {
  readonly uri: string;
  /** Domain of the platform for its built-in authority; absent for an external one. */
  readonly operator?: string | undefined;
  /** DER, leaf first. */
  readonly certificates: readonly Uint8Array[];
  readonly validFrom: Date;
  readonly validUntil: Date | null;
}

export interface Timestamp {
  /** Response of the authority (RFC 3161), DER. */
  readonly token: Uint8Array;
  readonly at: Date;
}

/** Latest possible time of a signature, or the reason why the token proves none. */
type TimestampCheck<A = TimestampAuthority> =
  | { readonly at: Date; readonly authority: A }
  | { readonly reason: string };

const checkPeriod = ({ at }: TimestampToken, { validFor }: TimestampAuthority): void => {
  if (validFor && (at < validFor.start || (validFor.end && at > validFor.end)))
    refuse('the authority is not trusted at that time');
};

type Attempt<T> = { readonly value: T } | { readonly reason: string };

const attempt = <T>(act: () => T): Attempt<T> => {
  try {
    return { value: act() };
  } catch (error) {
    // The ASN.1 reader throws errors of several kinds at bytes it cannot read; to refuse is the only safe answer.
    return { reason: error instanceof TimestampRefused ? error.message : 'it cannot be read' };
  }
};

const read = <A extends TimestampAuthority>(
  token: Buffer,
  signedBytes: Buffer,
  authorities: readonly A[],
): Attempt<{ readonly token: TimestampToken; readonly authority: A }> => {
  const found = attempt(() => readTimestamp(token, signedBytes));
  if ('reason' in found) return found;
  const reasons: string[] = [];
  for (const authority of authorities) {
    const checked = attempt(() => {
      checkAuthority(found.value, authority.certificates);
      checkPeriod(found.value, authority);
    });
    if ('value' in checked) return { value: { token: found.value, authority } };
    reasons.push(checked.reason);
  }
  return { reason: reasons.find((reason) => reason !== NO_AUTHORITY) ?? NO_AUTHORITY };
};

/**
 * Checks a response of a timestamp authority (RFC 3161, RFC 5816) over bytes: granted, its imprint, SHA-2 throughout,
 * one CMS signature by the certificate that ESSCertIDv2 names, whose critical and only purpose is to stamp times, and a
 * chain that was valid at that time (proofs 6.5 item 8, 8.2). Pure; never throws.
 */
export const checkTimestamp = <A extends TimestampAuthority>(
  token: Buffer,
  signedBytes: Buffer,
  authorities: readonly A[],
): TimestampCheck<A> => {
  const found = read(token, signedBytes, authorities);
  return 'reason' in found ? found : { at: found.value.token.at, authority: found.value.authority };
};

// DER, by hand: every length here is below 128.
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, content.length), content]);
};
const sha256Algorithm = der(0x30, der(0x06, Buffer.from('608648016503040201', 'hex')), Buffer.of(0x05, 0x00));

/** Eight random bytes as a positive integer of DER: the first is neither zero nor above 0x7f. */
const newNonce = (): Buffer => {
  const nonce = randomBytes(8);
  nonce.writeUInt8((nonce.readUInt8(0) & 0x3f) | 0x40, 0);
  return nonce;
};

/** TimeStampReq (RFC 3161 2.4.1): version 1, the SHA-256 imprint, a nonce, and the certificate is wanted. */
const requestOf = (signature: Uint8Array, nonce: Buffer): Buffer => {
  const imprint = der(0x30, sha256Algorithm, der(0x04, sha256Bytes(signature)));
  return der(0x30, der(0x02, Buffer.of(1)), imprint, der(0x02, nonce), Buffer.of(0x01, 0x01, 0xff));
};

export interface TimestampClient {
  /**
   * Has a DSSE signature's bytes stamped. Never called inside a transaction.
   * @returns the DER of the response, checked against its nonce and the configured chains
   * @throws Fault SYS_SERVICE_UNAVAILABLE when the authority does not answer, or answers what proves nothing
   */
  timestamp(signature: Uint8Array): Promise<Buffer>;
}

interface TimestampClientSettings {
  readonly url: string;
  /** In DER, each the one that signs first, the root last; an answer under any of them counts. */
  readonly chains: readonly (readonly Uint8Array[])[];
}

const unavailable = (url: string, what: string): Fault =>
  new Fault('SYS_SERVICE_UNAVAILABLE', `The timestamp authority ${url} ${what}.`);

const ask = async (http: HttpClient, url: string, body: Buffer, correlationId: string): Promise<Buffer> => {
  const answer = await http.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body,
    correlationId,
    // The operator named it in the settings; it is asked with a hash, and its answer is signed.
    vouched: new Set([new URL(url).origin]),
    plainHttp: 'anywhere',
    maxBytes: 65_536,
    timeouts: { total: 15_000 },
  });
  if (answer.kind !== 'response') throw unavailable(url, `cannot be asked: ${answer.message}`);
  if (answer.status !== 200) throw unavailable(url, `answered ${answer.status}`);
  if (!/^application\/timestamp-reply\b/i.test(answer.headers['content-type'] ?? ''))
    throw unavailable(url, 'answered something other than a timestamp');
  return answer.body;
};

/** Asks a timestamp authority over HTTP (RFC 3161 3.4). */
export const createTimestampClient = (http: HttpClient, { url, chains }: TimestampClientSettings): TimestampClient => ({
  async timestamp(signature) {
    const signed = Buffer.from(signature);
    const nonce = newNonce();
    const response = await ask(http, url, requestOf(signed, nonce), `timestamp-${nonce.toString('hex')}`);
    const authorities = chains.map((certificates) => ({ certificates }));
    const found = read(response, signed, authorities);
    if ('reason' in found) throw unavailable(url, `answered a timestamp that proves nothing: ${found.reason}`);
    // An answer to another question of ours would carry an earlier time.
    if (!found.value.token.nonce?.equals(nonce)) throw unavailable(url, 'answered another request');
    return response;
  },
});

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** A certificate of the key that stamps; one that issues such certificates may have the same purpose, and is none. */
const isStamping = (der: Buffer): boolean => {
  const certificate = new X509Certificate(der);
  return !certificate.ca && (certificate.keyUsage ?? []).includes(TIME_STAMPING);
};

/**
 * The chains of a PEM file, each the certificate that signs first, its root last: those of an authority before and after
 * its certificate was renewed, or of several authorities. A chain begins at each certificate that stamps.
 * @throws Error that names the file when it cannot be read, holds none, or does not begin with a chain for timestamps
 */
export const readTimestampChains = (path: string): readonly (readonly Buffer[])[] => {
  const blocks = readFileSync(path, 'utf8').match(pemBlock) ?? [];
  if (blocks.length === 0) throw new Error(`${path} holds no certificate in PEM.`);
  const chains: Buffer[][] = [];
  for (const block of blocks) {
    const der = Buffer.from(block.replace(/-----[^-]+-----/g, ''), 'base64');
    if (isStamping(der)) chains.push([der]);
    else if (!chains.at(-1)?.push(der)) throw new Error(`${path} does not begin with a certificate for timestamps.`);
  }
  return chains;
};
