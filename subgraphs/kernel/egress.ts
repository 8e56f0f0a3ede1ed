import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopback, isOwnAddress, reachOf } from './address.ts';
import type { TenantId } from './ids.ts';

/** Where something wants to go. Traffic that belongs to no tenant has none. */
export interface Destination {
  /** A host name or an IP literal, lower case, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly transport: 'tcp' | 'udp' | 'http' | 'https';
  readonly tenant?: TenantId | undefined;
  /** Whether an administrator of the tenant named this very origin, so that it may be in a private network. */
  readonly isVouched?: boolean | undefined;
  /** What the name resolved to; asked once more with it, before the connection is made to just that address. */
  readonly address?: string;
}

export type Decision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string; readonly details?: Readonly<Record<string, unknown>> };

/** The policy that everything outgoing asks, for each request, each redirect and each resolved address. */
export interface Egress {
  decide(destination: Destination): Decision;
}

/** The policy of an environment that nobody has sealed. */
export const unsealed: Egress = { decide: () => ({ allowed: true }) };

export interface Guard {
  /** Ports of this product's own listeners on this machine. */
  readonly ownPorts: ReadonlySet<number>;
  /** Lets tenants go to private networks where nobody vouches for the destination. */
  readonly allowPrivate: boolean;
}

/**
 * The policy that keeps a tenant from using the server to look around in the network that it stands in. Its traffic goes
 * to public addresses, and to private ones that an administrator vouched for; link-local addresses (169.254/16 holds
 * the metadata of clouds) and our own listeners are refused always. A refusal is the same whether or not anybody
 * listens there. Traffic of no tenant goes where the operator's settings say.
 */
export const guarded = ({ ownPorts, allowPrivate }: Guard): Egress => ({
  decide({ host, port, tenant, isVouched = false, address }) {
    if (tenant === undefined) return { allowed: true };
    const ip = address ?? (isIP(host) === 0 ? undefined : host);
    const reach = ip === undefined ? (isLoopback(host) ? 'private' : 'public') : reachOf(ip);
    const isOwn = ip === undefined ? isLoopback(host) : isOwnAddress(ip);
    if (reach === 'never') return { allowed: false, reason: 'Link-local and multicast addresses are never asked.' };
    if (isOwn && ownPorts.has(port)) return { allowed: false, reason: 'Landfall does not ask itself.' };
    if (reach === 'public' || isVouched || allowPrivate) return { allowed: true };
    return {
      allowed: false,
      reason: 'It is on this machine or in a private network, and no integration of this tenant names it.',
    };
  },
});

const refused = 'EGRESS_REFUSED';

/** The error of a connection whose every address the policy refused. */
export const isEgressRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === refused;

/**
 * A DNS lookup for sockets that answers only with addresses the policy allows. The socket connects to exactly what was
 * checked, so a name that resolves differently a moment later gains nothing. IP literals never come here: the
 * decision about the request has seen them.
 */
export const egressLookup =
  (egress: Egress, destination: Omit<Destination, 'host' | 'address'>): LookupFunction =>
  (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, []);
      const decided = found.map((each) => ({
        each,
        decision: egress.decide({ ...destination, host, address: each.address }),
      }));
      const allowed = decided.filter(({ decision }) => decision.allowed).map(({ each }) => each);
      const [first] = allowed;
      if (!first) {
        const reasons = decided.flatMap(({ decision }) => (decision.allowed ? [] : decision.reason));
        const message = reasons[0] ?? `${host} has no address.`;
        return callback(Object.assign(new Error(message), { code: refused }), []);
      }
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
