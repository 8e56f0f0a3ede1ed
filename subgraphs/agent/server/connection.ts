import { X509Certificate } from 'node:crypto';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { Fault } from '@landfall/kernel/core/fault';
import { codes, type FaultCode } from '@landfall/schema/codes';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { Agent, request } from 'undici';
import { pollMs, serverName } from '../protocol/messages.ts';
import { pinOf } from '../protocol/token.ts';

const requestMs = 15_000;

const isCode = (value: string): value is FaultCode => Object.hasOwn(codes, value);

const refusal = Compile(Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }));

const chainOf = (leaf: DetailedPeerCertificate): readonly Buffer[] => {
  const chain: Buffer[] = [];
  for (let at: DetailedPeerCertificate | undefined = leaf; at?.raw; at = at.issuerCertificate) {
    // A root certificate is its own issuer.
    if (chain.some((known) => known.equals(at?.raw ?? known))) break;
    chain.push(at.raw);
  }
  return chain;
};

/** Fetches the certificate authority (PEM) that the token pins; nothing is sent on this unverified connection. */
export const fetchPinnedCa = (server: URL, pin: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const port = Number(server.port || 443);
    const socket = connect({ host: server.hostname, port, servername: serverName, rejectUnauthorized: false });
    socket.setTimeout(requestMs, () => socket.destroy(new Error(`no TLS answer from ${server.host}`)));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const found = chainOf(socket.getPeerCertificate(true)).find((raw) => pinOf(raw) === pin);
      socket.end();
      if (found) resolve(new X509Certificate(found).toString());
      else reject(new Error(`${server.host} does not present the certificate authority that the token pins`));
    });
  });

type Credentials = Readonly<{ ca: string; certificate?: string; privateKey?: string }>;

/** Removes NUL and replaces lone surrogates in texts, which no database stores and the server refuses. */
const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;

/** Error of a refused message: the server's Fault, or its status. */
const refused = (status: number, body: unknown): Error =>
  refusal.Check(body) && isCode(body.error.code)
    ? new Fault(body.error.code, body.error.message)
    : new Error(`the server answered ${status}`);

/** Creates the connection to the agents' listener: JSON over TLS, mutual once there is a certificate. */
export const createConnection = (server: URL, { ca, certificate, privateKey }: Credentials) => {
  const dispatcher = new Agent({
    connect: {
      ca,
      servername: serverName,
      timeout: requestMs,
      ...(certificate !== undefined && privateKey !== undefined ? { cert: certificate, key: privateKey } : {}),
    },
    headersTimeout: pollMs + requestMs,
    bodyTimeout: requestMs,
  });

  return {
    /** Posts a message; returns undefined for 204. Throws the server's Fault, or an Error when there was no answer. */
    async post(path: string, body: unknown, signal: AbortSignal, timeoutMs = requestMs): Promise<unknown> {
      const answer = await request(new URL(path, server), {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body, storable),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (answer.statusCode === 204) {
        await answer.body.dump();
        return undefined;
      }
      const text = await answer.body.text();
      const isJson = String(answer.headers['content-type'] ?? '').includes('json');
      const value: unknown = isJson ? JSON.parse(text) : undefined;
      if (answer.statusCode === 200) return value;
      throw refused(answer.statusCode, value);
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
};
