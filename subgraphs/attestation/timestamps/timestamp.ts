import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { HttpClient } from '@landfall/kernel/http/client';
import { checkAuthority, isIssuedBy, NO_AUTHORITY, TIME_STAMPING } from './timestamp-chain.ts';
import { readTimestamp, refuse, TimestampRefused, type TimestampToken } from './timestamp-token.ts';

/** Trusted timestamp authority: its certificates in DER, signing certificate first, root last. */
export interface TimestampAuthority {
  readonly certificates: readonly Uint8Array[];
  /** Period in which its tokens count; unlimited by default. */
  readonly validFor?: { readonly start: Date; readonly end?: Date | undefined };
}

/** Timestamp authority whose tokens the platform's bundles may contain. */
export interface AuthorityCertificates {
  readonly uri: string;
  /** Domain of the platform for its built-in authority; absent for an external one. */
  readonly operator?: string | undefined;
  /** Certificates in DER, leaf first. */
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

const attempt = <T>(check: () => T): Attempt<T> => {
  try {
    return { value: check() };
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
 * Checks a timestamp response (RFC 3161, RFC 5816) over bytes: granted, matching imprint, SHA-2 only, one CMS signature
 * by the certificate in ESSCertIDv2, whose critical and only purpose is timestamps, and a chain that was valid at that
 * time (proofs 6.5 item 8, 8.2). Pure; never throws.
 */
export const checkTimestamp = <A extends TimestampAuthority>(
  token: Buffer,
  signedBytes: Buffer,
  authorities: readonly A[],
): TimestampCheck<A> => {
  const found = read(token, signedBytes, authorities);
  return 'reason' in found ? found : { at: found.value.token.at, authority: found.value.authority };
};

/**
 * Reads the time that a response over bytes states, with its nonce. It does not say who signed it: `checkTimestamp`
 * does. Never throws.
 */
export const readStatedTime = (
  token: Buffer,
  signedBytes: Buffer,
): Pick<TimestampToken, 'at' | 'nonce' | 'accuracySeconds'> | { readonly reason: string } => {
  const found = attempt(() => readTimestamp(token, signedBytes));
  return 'value' in found ? found.value : found;
};

// DER encoded by hand: every length here is below 128.
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, content.length), content]);
};
const sha256Algorithm = der(0x30, der(0x06, Buffer.from('608648016503040201', 'hex')), Buffer.of(0x05, 0x00));

/** Creates a nonce: eight random bytes that are a positive DER integer, so the first is neither zero nor above 0x7f. */
const newNonce = (): Buffer => {
  const nonce = randomBytes(8);
  nonce.writeUInt8((nonce.readUInt8(0) & 0x3f) | 0x40, 0);
  return nonce;
};

/**
 * Encodes TimeStampReq (RFC 3161 2.4.1): version 1, SHA-256 imprint, nonce, certificate requested.
 * @param nonce a positive DER integer: its first byte is neither zero nor above 0x7f
 */
export const timestampRequest = (signature: Uint8Array, nonce: Buffer): Buffer => {
  const imprint = der(0x30, sha256Algorithm, der(0x04, sha256Bytes(signature)));
  return der(0x30, der(0x02, Buffer.of(1)), imprint, der(0x02, nonce), Buffer.of(0x01, 0x01, 0xff));
};

export interface TimestampClient {
  /**
   * Requests a timestamp of a DSSE signature's bytes. Never called inside a transaction.
   * @returns the DER of the response, checked against its nonce and the configured chains
   * @throws Fault SYS_SERVICE_UNAVAILABLE when the authority does not answer, or its answer proves nothing
   */
  timestamp(signature: Uint8Array): Promise<Buffer>;
}

interface TimestampClientSettings {
  readonly url: string;
  /**
   * Chains in DER, each with the signing certificate first and the root last; a response under any of them is accepted.
   */
  readonly chains: readonly (readonly Uint8Array[])[];
}

const unavailable = (url: string, name: string): Fault =>
  new Fault('SYS_SERVICE_UNAVAILABLE', `The timestamp authority ${url} ${name}.`);

const ask = async (http: HttpClient, url: string, body: Buffer, correlationId: string): Promise<Buffer> => {
  const answer = await http.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body,
    correlationId,
    // The operator configured the address; the request contains a hash only, and the response is signed.
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

/** Creates a client of a timestamp authority over HTTP (RFC 3161 3.4). */
export const createTimestampClient = (http: HttpClient, { url, chains }: TimestampClientSettings): TimestampClient => ({
  async timestamp(signature) {
    const signed = Buffer.from(signature);
    const nonce = newNonce();
    const response = await ask(http, url, timestampRequest(signed, nonce), `timestamp-${nonce.toString('hex')}`);
    const authorities = chains.map((certificates) => ({ certificates }));
    const found = read(response, signed, authorities);
    if ('reason' in found) throw unavailable(url, `answered a timestamp that proves nothing: ${found.reason}`);
    // The response to another request would carry an earlier time.
    if (!found.value.token.nonce?.equals(nonce)) throw unavailable(url, 'answered another request');
    return response;
  },
});

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks for a certificate that signs timestamps. An authority's certificate of the same purpose does not count. */
const isStamping = (der: Buffer): boolean => {
  const certificate = new X509Certificate(der);
  return !certificate.ca && (certificate.keyUsage ?? []).includes(TIME_STAMPING);
};

/** Certificates of a PEM text in DER. */
const certificatesOf = (text: string): readonly Buffer[] =>
  (text.match(pemBlock) ?? []).map((block) => Buffer.from(block.replace(/-----[^-]+-----/g, ''), 'base64'));

/** Checks that a chain that begins with a signing certificate goes on with this one. */
const isContinued = (chain: readonly Buffer[], der: Buffer): boolean => {
  const [leaf, last] = [chain[0], chain.at(-1)];
  if (!leaf || !last || !isStamping(leaf) || last.equals(der)) return false;
  return isIssuedBy(new X509Certificate(last), new X509Certificate(der));
};

/**
 * Reads trust anchors for timestamps from a PEM text: chains as `parseTimestampChains`, and certificates of issuers by
 * themselves, to which the certificates of a token have to lead.
 * @param name of the text, for the error
 * @throws Error that names the text when a certificate cannot be read
 */
export const parseTimestampAnchors = (text: string, name: string): readonly (readonly Buffer[])[] => {
  const anchors: Buffer[][] = [];
  try {
    for (const der of certificatesOf(text)) {
      const chain = anchors.at(-1);
      if (chain && isContinued(chain, der)) chain.push(der);
      else anchors.push([der]);
    }
  } catch (error) {
    throw new Error(`${name} has a certificate that cannot be read.`, { cause: error });
  }
  return anchors;
};

/**
 * Reads the chains of a PEM text, each with the signing certificate first and its root last: those of an authority
 * before and after its certificate was renewed, or of several authorities. Each certificate that signs timestamps
 * begins a chain.
 * @param name of the text, for the error
 * @throws Error that names the text when a certificate cannot be read, or none that signs timestamps comes first
 */
const parseTimestampChains = (text: string, name: string): readonly (readonly Buffer[])[] => {
  const chains: Buffer[][] = [];
  for (const der of certificatesOf(text)) {
    if (isStamping(der)) chains.push([der]);
    else if (!chains.at(-1)?.push(der)) throw new Error(`${name} does not begin with a certificate for timestamps.`);
  }
  return chains;
};

/**
 * Reads the chains of a PEM file.
 * @throws Error that names the file when it cannot be read, is empty, or does not begin with such a chain
 */
export const readTimestampChains = (path: string): readonly (readonly Buffer[])[] => {
  const chains = parseTimestampChains(readFileSync(path, 'utf8'), path);
  if (chains.length === 0) throw new Error(`${path} holds no certificate in PEM.`);
  return chains;
};
