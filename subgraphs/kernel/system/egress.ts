import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { TenantId } from '../core/ids.ts';
import { systemErrorCodeOf } from '../core/system-error-code.ts';
import { isLoopback, isOwnAddress, reachOf, type Subnets } from './address.ts';

/** Origin of an address in the product: an administrator of a tenant, or the operator in the settings. */
export type NamedBy = 'administrator' | 'operator';

/** Destination of a connection. Traffic that belongs to no tenant has none. */
export interface Destination {
  /** A host name or an IP literal, lower case, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly transport: 'tcp' | 'udp' | 'http' | 'https';
  readonly tenant?: TenantId | undefined;
  /** Author of this origin, so that it may be in a private network; absent for any other origin. */
  readonly namedBy?: NamedBy | undefined;
  /** Part of the product that asks, for the record; `platform` unless given. */
  readonly feature?: string | undefined;
  /** Address that the name resolved to; judged again with it, before the connection is made to it. */
  readonly address?: string | undefined;
  /** Whether it was judged and recorded before. */
  readonly isAgain?: boolean;
}

/** Decision; `slug` is the reason of a seal's block, also where it is not sealed yet. */
type Decision =
  | { readonly allowed: true; readonly slug?: string }
  | {
      readonly allowed: false;
      readonly reason: string;
      readonly slug?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };

/** Policy for all outgoing traffic: checked for each request, redirect and resolved address. */
export interface Egress {
  decide(destination: Destination): Decision;
  /** Number that grows with each change of the policy: a connection of an earlier one is not used again. */
  revision?(): number;
  /** Calls a listener after each change of the policy. @returns the function that ends it */
  onChange?(listener: () => void): () => void;
  /** Records the decisions about all addresses of a name. */
  resolved?(destination: Destination, decisions: readonly Decision[]): void;
}

/** Policy of an environment that is not sealed: everything is allowed. */
export const openEgress: Egress = { decide: () => ({ allowed: true }) };

interface Guard {
  /** Ports of this product's own listeners on this machine. */
  readonly ownPorts: ReadonlySet<number>;
  /** Private networks that the operator opens to the origins that administrators of tenants name. */
  readonly privateNetworks: Subnets;
  /** Opens every private network, also to origins that no administrator named. */
  readonly allowPrivate: boolean;
}

const outside = "It is in a private network that the operator's setting Egress:Private does not list.";
const unnamed = 'It is on this machine or in a private network, and no integration of this tenant names it.';

/** Address of a host that needs no resolution: an IP literal, or a name of this machine. */
const literalOf = (host: string): string | undefined => {
  if (isIP(host) !== 0) return host;
  return isLoopback(host) ? '127.0.0.1' : undefined;
};

const refuse = (reason: string): Decision => ({ allowed: false, reason });

/**
 * Egress policy that keeps a tenant from mapping the server's network. A tenant's traffic goes to public addresses, and
 * to private ones that an administrator named and the operator's list contains. Link-local addresses (169.254/16 has
 * the metadata of clouds) and the platform's own listeners are always refused; every address of this machine counts as
 * private. A refusal comes before any connection, so that it is the same whether an address listens, refuses or is
 * silent. Addresses from the operator's settings, and traffic of no tenant, are not restricted.
 */
export const guarded = ({ ownPorts, privateNetworks, allowPrivate }: Guard): Egress => ({
  decide({ host, port, tenant, namedBy, address }) {
    if (tenant === undefined) return { allowed: true };
    const ip = address ?? literalOf(host);
    // A name is judged by what it resolves to, in `egressLookup`.
    if (ip === undefined) return { allowed: true };
    const reach = reachOf(ip);
    const isOwn = isOwnAddress(ip);
    const isPrivate = reach === 'private' || isOwn;
    if (reach === 'never') return refuse('Link-local and multicast addresses are never asked.');
    const isOpen = !isPrivate || allowPrivate || namedBy === 'operator' || privateNetworks.holds(ip);
    if (!isOpen) return refuse(outside);
    if (isOwn && ownPorts.has(port)) return refuse('Landfall does not ask itself.');
    return isPrivate && !allowPrivate && namedBy === undefined ? refuse(unnamed) : { allowed: true };
  },
});

const refused = 'EGRESS_REFUSED';

/** Whether a connection failed because the policy refused every address of the host. */
export const isEgressRefusal = (error: unknown): boolean => systemErrorCodeOf(error) === refused;

/** One message for an unknown name and for refused addresses, so that a tenant cannot tell them apart. */
const noAddress = (host: string): string =>
  `${host} has no address that Landfall may ask: the name is unknown, or leads to a private network that is not open to it.`;

class EgressRefusal extends Error {
  readonly code = refused;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, details: Readonly<Record<string, unknown>> | undefined) {
    super(message);
    this.details = details;
  }
}

/** Error of a connection that the policy refuses; `details` are those of the decision. */
export const refusal = (message: string, details?: Readonly<Record<string, unknown>>): Error =>
  new EgressRefusal(message, details);

/** Details of the decision that refused a connection. */
export const refusalDetails = (error: unknown): Readonly<Record<string, unknown>> | undefined =>
  error instanceof EgressRefusal ? error.details : undefined;

/**
 * DNS lookup for sockets that returns only addresses that the policy allows. The socket connects to exactly the checked
 * address, so a name that resolves differently a moment later has no effect. IP literals are checked before, with the
 * request.
 */
export const egressLookup =
  (egress: Egress, destination: Omit<Destination, 'host' | 'address'>): LookupFunction =>
  (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const isTenants = destination.tenant !== undefined;
      if (error) return callback(isTenants ? refusal(noAddress(host)) : error, []);
      const decisions = found.map(({ address }) => egress.decide({ ...destination, host, address }));
      egress.resolved?.({ ...destination, host }, decisions);
      const allowed = found.filter((_, index) => decisions[index]?.allowed);
      const [first] = allowed;
      if (!first) {
        const refusals = decisions.flatMap((decision) => (decision.allowed ? [] : [decision]));
        const told = refusals.find(({ details }) => details) ?? (isTenants ? undefined : refusals[0]);
        return callback(refusal(told?.reason ?? noAddress(host), told?.details), []);
      }
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
