import type { Socket } from 'node:net';
import { Agent, buildConnector, Pool } from 'undici';
import { type Destination, type Egress, egressLookup, refusal } from '../system/egress.ts';

/** Connections to an origin at once, for each tenant: as many as the notifier sends messages of one. */
export const CONNECTIONS_PER_ORIGIN = 64;

/** Policy and certificates of connections. */
export interface ConnectionOptions {
  readonly egress: Egress;
  /** Client certificate and trusted certificates in PEM for every connection, and the expected name of the server. */
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
    /** Accepts certificates in `ca` as trust anchors even if they are not self-signed. */
    readonly allowPartialTrustChain?: boolean;
  };
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Facts of a connection that the policy decides by, beside its host. */
type Route = Pick<Destination, 'tenant' | 'namedBy' | 'feature'>;

/** Pools by these facts, since a connection was opened under one egress decision. */
export const createPools = ({ egress, tls }: ConnectionOptions, connectTimeout: number) => {
  const agents = new Map<string, Agent>();
  const connections = new Map<Socket, Destination>();
  let revision = egress.revision?.();

  const refusalOf = (destination: Destination): Error | undefined => {
    const decision = egress.decide({ ...destination, isAgain: true });
    return decision.allowed ? undefined : refusal(decision.reason, decision.details);
  };

  /** Ends the connections that a new policy blocks, with what is under way on them. */
  const judgeAgain = (): void => {
    if (revision === egress.revision?.()) return;
    revision = egress.revision?.();
    for (const [socket, destination] of connections) {
      const error = refusalOf({ ...destination, address: socket.remoteAddress });
      if (error) socket.destroy(error);
    }
  };
  const stop = egress.onChange?.(judgeAgain);

  /** Connections to an origin: what waits in its queue is judged again, before a name is resolved too. */
  const connectorOf = (url: URL, route: Route): buildConnector.connector => {
    const transport = url.protocol === 'https:' ? 'https' : 'http';
    const destination = { ...route, host: hostOf(url), port: portOf(url), transport } as const;
    const connect = buildConnector({ ...tls, timeout: connectTimeout, lookup: egressLookup(egress, destination) });
    return (options, callback) => {
      const refused = refusalOf(destination);
      if (refused) return callback(refused, null);
      connect(options, (...[error, socket]) => {
        if (!socket) return callback(error ?? new Error('No connection.'), null);
        const late = refusalOf({ ...destination, address: socket.remoteAddress });
        if (late) {
          socket.destroy();
          return callback(late, null);
        }
        connections.set(socket, destination);
        socket.once('close', () => connections.delete(socket));
        callback(null, socket);
      });
    };
  };

  const open = (route: Route): Agent =>
    new Agent({
      factory(origin) {
        const url = new URL(origin);
        return new Pool(url, { connections: CONNECTIONS_PER_ORIGIN, connect: connectorOf(url, route) });
      },
    });
  return {
    of(route: Route): Agent {
      judgeAgain();
      const key = [route.namedBy, route.tenant, route.feature].join(' ');
      const agent = agents.get(key) ?? open(route);
      agents.set(key, agent);
      return agent;
    },
    close: () => {
      stop?.();
      return Promise.all([...agents.values()].map((agent) => agent.close()));
    },
  };
};
