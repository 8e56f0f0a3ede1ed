import { isIP } from 'node:net';
import { createHttpClient, type HttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Tls } from './tls.ts';

/** The way to the authority's listener in this process. */
interface BackChannel {
  readonly origin: string;
  /** Client of its own, when the common one does not trust the certificate. */
  readonly http?: HttpClient;
}

/** An address to listen on, as this machine calls it. */
const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

/** A client that trusts what `ca` says at the moment: the listener's certificate is renewed while the process runs. */
const trusting = (ca: () => string, servername: string | undefined): HttpClient => {
  const open = (pem: string): HttpClient =>
    createHttpClient({
      egress: openEgress,
      tls: { ca: pem, allowPartialTrustChain: true, ...(servername !== undefined && { servername }) },
    });
  let pem = ca();
  let client = open(pem);
  const current = (): HttpClient => {
    if (pem !== ca()) {
      // It waits for what is under way.
      client.close().catch(() => undefined);
      pem = ca();
      client = open(pem);
    }
    return client;
  };
  return {
    send: (request) => current().send(request),
    stream: (request) => current().stream(request),
    refusal: (request) => current().refusal(request),
    close: () => current().close(),
  };
};

/**
 * Over this machine's own network and, where the listener speaks TLS, to exactly the certificate that it was given. No
 * server name is an address (RFC 6066 3), so an authority that is called by its address is asked at that.
 */
export const createBackChannel = (
  { host, authPort }: Pick<GatewaySettings, 'host' | 'authPort'>,
  { own }: Pick<Tls, 'own'>,
): BackChannel => {
  if (!own) return { origin: `http://${reachable(host)}:${authPort}` };
  const isAddress = isIP(own.name) !== 0;
  return {
    origin: `https://${reachable(isAddress ? own.name : host)}:${authPort}`,
    http: trusting(own.ca, isAddress ? undefined : own.name),
  };
};
