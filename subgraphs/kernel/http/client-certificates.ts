import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createLru } from '../core/lru.ts';
import { sha256Bytes } from '../crypto/digest.ts';
import type { Proxies } from './proxies.ts';
import { valuesOf } from './request-headers.ts';

/** Client certificate, from the connection or from a proxy's header. */
export interface Certificate {
  readonly raw: Buffer;
  /** Undefined when the chain is good, else the reason in Node's words: CERT_HAS_EXPIRED. */
  readonly error: string | undefined;
}

/** SHA-256 of the DER bytes, base64url: what `x5t#S256` is bound to (RFC 8705 3.1). */
export const thumbprintOf = ({ raw }: Pick<Certificate, 'raw'>): string => sha256Bytes(raw).toString('base64url');

/** Certificate that a connection presented at its beginning, its only chance: TLS 1.3 does not negotiate again. */
const presented = new WeakMap<TLSSocket, Certificate>();

/** Certificate of the connection itself. */
export const socketCertificate = (socket: Socket): Certificate | undefined => {
  if (!(socket instanceof TLSSocket)) return undefined;
  const known = presented.get(socket);
  if (known) return known;
  const { raw } = socket.getPeerCertificate();
  if (!raw) return undefined;
  const certificate = { raw, error: socket.authorized ? undefined : String(socket.authorizationError) };
  presented.set(socket, certificate);
  return certificate;
};

export interface ClientCertificateOptions {
  /** Proxies whose header is believed. */
  readonly proxies: Proxies;
  /** Name of the header with the certificate, in lower case. */
  readonly header: string | undefined;
  /** PEM of the authorities that vouch for clients; without it no chain is good. */
  readonly roots: string | undefined;
}

/** RFC 5280 4.2.1.12: id-kp-clientAuth. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** Maximum length of the header in characters; a certificate has one or two thousand. */
const MAX_LENGTH = 12_000;
const MAX_CACHED = 1_000;

const PEM = /-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM text.
 * @throws Error when one cannot be read
 */
export const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(PEM) ?? []).map((each) => new X509Certificate(each));

/** Certificate of a header: RFC 9440's `:base64:`, or PEM with its special characters escaped, as nginx writes it. */
const parseHeader = (value: string): X509Certificate | undefined => {
  try {
    const [, encoded] = /^:([\w+/]+={0,2}):$/.exec(value) ?? [];
    if (encoded !== undefined) return new X509Certificate(Buffer.from(encoded, 'base64'));
    const [only, ...rest] = certificatesIn(decodeURIComponent(value));
    return rest.length > 0 ? undefined : only;
  } catch {
    return undefined;
  }
};

const chainError = (certificate: X509Certificate, roots: readonly X509Certificate[], now: Date): string | undefined => {
  if (now < certificate.validFromDate) return 'CERT_NOT_YET_VALID';
  if (now > certificate.validToDate) return 'CERT_HAS_EXPIRED';
  const uses: readonly string[] | undefined = certificate.keyUsage;
  if (uses && !uses.includes(CLIENT_AUTH)) return 'INVALID_PURPOSE';
  const issuer = roots.find((root) => root.ca && certificate.checkIssued(root) && certificate.verify(root.publicKey));
  if (!issuer) return 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  return now > issuer.validToDate ? 'CERT_HAS_EXPIRED' : undefined;
};

/** Certificates by the header's value: a proxy sends the same one with every request. */
const createReader = (roots: readonly X509Certificate[]) => {
  const cache = createLru<string, { certificate: X509Certificate; raw: Buffer }>({ most: MAX_CACHED });
  const readNew = (value: string) => {
    const certificate = parseHeader(value);
    return certificate && { certificate, raw: certificate.raw };
  };
  return (value: string, now: Date): Certificate | undefined => {
    const entry = cache.get(value) ?? readNew(value);
    if (!entry) return undefined;
    cache.set(value, entry);
    return { raw: entry.raw, error: chainError(entry.certificate, roots, now) };
  };
};

export type ClientCertificates = (request: IncomingMessage) => Certificate | undefined;

/**
 * Reads the client certificate of a request and removes the certificate header. The header is trusted only from a
 * configured proxy, whose own connection certificate is ignored.
 */
export const createClientCertificates = (
  { proxies, header, roots = '' }: ClientCertificateOptions,
  now: () => Date,
): ClientCertificates => {
  const read = createReader(certificatesIn(roots));

  return (request) => {
    const { socket, headers } = request;
    if (header === undefined) return socketCertificate(socket);
    delete headers[header];
    if (!proxies.isTrusted(socket.remoteAddress)) return socketCertificate(socket);
    const [only, ...rest] = valuesOf(request, header);
    // A proxy that adds its header to the client's own is misconfigured, so neither is trusted.
    return only === undefined || rest.length > 0 || only.length > MAX_LENGTH ? undefined : read(only, now());
  };
};
