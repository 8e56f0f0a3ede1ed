import type { TenantId } from './ids.ts';

export type CallerKind = 'user' | 'client' | 'agent' | 'system';

/** Identity of the caller, made by the edge from verified claims only (spec 5.4). */
export interface Caller {
  /** The `svc:tenant` claim: the tenant's immutable slug. */
  readonly tenant?: TenantId;
  /** Claim `tenant` or `tenant_id` of a token without `svc:tenant`; only search accepts it (spec 5.5). */
  readonly claimedTenant?: TenantId;
  /** `sub`: a user's id, a client's id, or an agent's id. */
  readonly subject: string;
  readonly clientId: string;
  /** Clients and people that held or used an exchanged token's predecessors (RFC 8693): its claim `svc:holders`. */
  readonly earlierHolders?: readonly string[];
  readonly scopes: ReadonlySet<string>;
  readonly kind: CallerKind;
  /** GUID or ULID; travels on every outbound call. */
  readonly correlationId: string;
  /** Tenants that request headers state: compared with the token's tenant, never trusted as identity. */
  readonly assertedTenants: readonly string[];
  /** `jti` of the access token, so that a write can ask the denylist. */
  readonly tokenId?: string;
  /** Registry plan and licence: the claims `svc:plan` and `svc:license`. */
  readonly plan?: string;
  readonly license?: string;
  /** Serial of the client certificate that proved the caller, lower-case hex: agents. */
  readonly certificateSerial?: string;
}

/** A caller whose tenant is known: what operations and stores receive. */
export type Who = Caller & { readonly tenant: TenantId };

export const hasTenant = (caller: Caller): caller is Who => caller.tenant !== undefined;

/** The client that holds a caller's token, followed by the holders of the tokens it was exchanged from. */
export const holdersOf = ({ clientId, earlierHolders = [] }: Pick<Caller, 'clientId' | 'earlierHolders'>) => [
  clientId,
  ...earlierHolders,
];

/** Caller of a worker that acts for a tenant. */
export const systemCaller = (tenant: TenantId, name: string, correlationId: string): Who => ({
  tenant,
  subject: name,
  clientId: name,
  scopes: new Set(),
  kind: 'system',
  correlationId,
  assertedTenants: [],
});
