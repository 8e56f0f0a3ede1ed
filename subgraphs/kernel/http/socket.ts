import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { refuseWhileHolding } from '../core/held-connection.ts';
import type { TenantId } from '../core/ids.ts';
import { type Egress, egressLookup } from '../system/egress.ts';
import { failureOf, type HttpFailure } from './failure.ts';

export interface SocketRequest {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, for the name `host` unless another is given. */
  readonly tls?: { readonly servername?: string; readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly tenant?: TenantId | undefined;
  /** Milliseconds until the connection, TLS included, must stand; 10 s unless told otherwise. */
  readonly timeoutMs?: number;
}

export type Connected = { readonly kind: 'connected'; readonly socket: Socket };

/** The one way out that is not HTTP. A failure is returned, not thrown. */
export type SocketFactory = (request: SocketRequest) => Promise<Connected | HttpFailure>;

const open = ({ host, port, tls, tenant }: SocketRequest, egress: Egress): { socket: Socket; ready: string } => {
  const target = { host, port, lookup: egressLookup(egress, { port, transport: 'tcp', tenant }) };
  if (!tls) return { socket: connectTcp(target), ready: 'connect' };
  // A certificate cannot be asked for by address (RFC 6066 3), only be checked against it.
  const named = isIP(host) === 0 ? { servername: host } : {};
  return { socket: connectTls({ ...target, ...named, ...tls }), ready: 'secureConnect' };
};

/** Sockets that ask the egress policy for the destination and for each address it resolves to. */
export const createSocketFactory =
  (egress: Egress): SocketFactory =>
  async (request) => {
    const { host, port, tenant, timeoutMs = 10_000 } = request;
    refuseWhileHolding(`a connection to ${host}:${port}`);
    const decision = egress.decide({ host, port, transport: 'tcp', tenant });
    if (!decision.allowed)
      return {
        kind: 'refused-by-policy',
        message: decision.reason,
        ...(decision.details && { details: decision.details }),
      };
    const { socket, ready } = open(request, egress);
    return new Promise((settle) => {
      const fail = (error: Error): void => {
        socket.destroy();
        settle(failureOf(error));
      };
      const late = (): void => fail(new DOMException(`${host}:${port} did not answer in time.`, 'TimeoutError'));
      const timer = setTimeout(late, timeoutMs);
      socket.once('close', () => clearTimeout(timer));
      socket.once('error', fail);
      socket.once(ready, () => {
        clearTimeout(timer);
        socket.off('error', fail);
        settle({ kind: 'connected', socket });
      });
    });
  };
