import { isIP } from 'node:net';
import { createHttpClient, type HttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Tls } from './tls.ts';

/** Connection to the authority's listener in this process. */
interface BackChannel {
  readonly origin: string;
  /** HTTP client, if the common one does not trust the certificate. */
  readonly http?: HttpClient;
}

/** Address by which this machine reaches a listener. */
const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

/** Creates a client that trusts the present value of `ca`, which changes when the certificate is renewed. */
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
 * Creates the back channel over this machine's network; with TLS it trusts exactly the listener's own certificate. A
 * server name is never an IP address (RFC 6066 3), so an authority with an address is called by it.
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
