import { connect, type Socket } from 'node:net';
import { refuseWhileConnected } from '../core/connection-use.ts';
import type { TenantId } from '../core/ids.ts';
import { type Destination, type Egress, egressLookup, refusal } from './egress.ts';

/** Server of a protocol that is not HTTP, named by a tenant's administrator, or without tenant by the settings. */
interface Peer {
  /** Host name or IP literal, lower case, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tenant?: TenantId;
  readonly timeoutMs: number;
}

/** Opens a TCP connection. Rejects with an error of the policy (`isEgressRefusal`), of the socket or of the time limit. */
export type Connect = (peer: Peer) => Promise<Socket>;

/** Destroys a socket that a later policy blocks. @returns the function that ends the watch */
const destroyOnceBlocked = (egress: Egress, socket: Socket, destination: Destination): (() => void) =>
  egress.onChange?.(() => {
    const decision = egress.decide({ ...destination, address: socket.remoteAddress, isAgain: true });
    if (!decision.allowed) socket.destroy(refusal(decision.reason, decision.details));
  }) ?? (() => undefined);

/** Creates connections under the egress policy: the socket connects to exactly the address that was judged. */
export const createConnect =
  (egress: Egress, feature?: string): Connect =>
  ({ host, port, tenant, timeoutMs }) => {
    refuseWhileConnected(`a connection to ${host}`);
    const destination = { port, transport: 'tcp', tenant, namedBy: 'administrator', feature } as const;
    const decision = egress.decide({ host, ...destination });
    if (!decision.allowed) return Promise.reject(refusal(decision.reason, decision.details));
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({ host, port, lookup: egressLookup(egress, destination) });
    const stop = destroyOnceBlocked(egress, socket, { host, ...destination });
    const timer = setTimeout(() => socket.destroy(new Error(`No connection within ${timeoutMs} ms.`)), timeoutMs);
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('close', () => {
      clearTimeout(timer);
      stop();
    });
    return promise;
  };
