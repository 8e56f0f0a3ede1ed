import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText, patterned } from '@landfall/kernel/operation/input';
import type { ResolveTxt } from '@landfall/kernel/system/dns';
import Type from 'typebox';
import { refreshGroupRoles } from '../groups/effective-roles.ts';
import * as groups from '../groups/groups.ts';
import { atVersion, versionedInput } from '../protocol/expected-version.ts';
import { lockStatusChanges } from '../users/account-status.ts';
import {
  applyFinding,
  claimViewOf,
  type DomainClaim,
  endFormerProof,
  lookUpProof,
  providerEvent,
} from './domain-proof.ts';
import * as claims from './domains.store.ts';
import { connect, issuerFault } from './provider-client.ts';
import * as store from './providers.store.ts';

/** A provider as administrators see it: its client secret is never readable again. */
export interface IdentityProviderView extends Omit<store.Provider, 'tenant' | 'sealedSecret'> {
  readonly redirectUri: string;
  readonly domainClaims: readonly DomainClaim[];
}

const ADMIN = ['authority:admin'];
const NOUN = 'identity provider';
const DEFAULT_SCOPES = ['openid', 'profile', 'email'];

const scopes = Type.Array(
  patterned(
    '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
    'may have only visible ASCII characters, and no spaces, quotes and backslashes',
    { maxLength: 200 },
  ),
  {
    maxItems: 30,
    uniqueItems: true,
  },
);
/** RFC 1123 2.1, lower case: labels of letters, digits and hyphens. */
const domain = patterned(
  '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$',
  'must be a domain in lower case, such as example.com',
  { maxLength: 253 },
);
const domains = Type.Array(domain, { maxItems: 50, uniqueItems: true });
const groupsClaim = freeText(200);
const clientSecret = Type.String({ minLength: 1, maxLength: 2_000 });

const changes = Type.Object({
  name: Type.Optional(freeText(100)),
  clientId: Type.Optional(freeText(500)),
  clientSecret: Type.Optional(clientSecret),
  scopes: Type.Optional(scopes),
  domains: Type.Optional(domains),
  groupsClaim: Type.Optional(groupsClaim),
  createsUsers: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
});
const versioned = versionedInput('IdentityProvider');
const VERSIONED_RAISES = ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'] as const;

/** Sealing context of a provider's client secret. */
const secretName = (id: store.ProviderId): string => `authority/identity-provider/${id}`;

export const openSecret = (secrets: Pick<Secrets, 'open'>, { tenant, id, sealedSecret }: store.Provider): string =>
  secrets.open(tenant, secretName(id), sealedSecret).toString();

/** Redirect address of a provider. Each has its own, so that none answers for another (RFC 9700 4.4.2). */
export const redirectUriOf = (issuer: string, id: store.ProviderId): string => `${issuer}/federation/callback/${id}`;

const refuseIssuer = (issuer: string): void => {
  const fault = issuerFault(issuer);
  if (fault) throw invalid([{ field: 'issuer', message: fault, code: 'VAL_INVALID_VALUE' }]);
};

/** `openid` is what makes it OpenID Connect. */
const withOpenid = (address: readonly string[]): readonly string[] => [...new Set(['openid', ...address])];

/** Fault for an unusable discovery document; the cause is logged. */
const unusable = (issuer: string, cause: unknown): Fault =>
  new Fault(
    'VAL_INVALID_VALUE',
    'No usable OpenID Connect discovery document was found at this issuer.',
    { issuer },
    [
      {
        field: 'issuer',
        message: 'has no discovery document that names it, or cannot be reached',
        code: 'VAL_INVALID_VALUE',
      },
    ],
    { cause },
  );

const domainClaimed = (): Fault =>
  new Fault('RES_ALREADY_EXISTS', 'Another provider of yours has one of these domains. Take it away there first.');

const notClaimed = (id: string, domain: string): Fault =>
  new Fault('RES_NOT_FOUND', `There is no identity provider ${id} with the domain ${domain}.`, { id, domain });

const nameConflict = (name: string) => (): Fault =>
  new Fault('RES_ALREADY_EXISTS', `There is a provider ${name} already.`, { name });

const claim = (tx: Tx, tenant: TenantId, is: store.Provider): Promise<void> =>
  onConflict(store.claimDomains(tx, tenant, is), 'identity_provider_domains_tenant', domainClaimed);

/** Event data of a provider, without its secret. */
const eventDataOf = ({ name, issuer, clientId, domains: claimed, createsUsers, active }: store.Provider) => ({
  name,
  issuer,
  clientId,
  domains: claimed,
  createsUsers,
  active,
});

/** Deletes the memberships by a provider; its people stay. */
const endMemberships = async (tx: Tx, tenant: TenantId, id: store.ProviderId): Promise<void> => {
  const members = await groups.listOfSource(tx, tenant, id);
  await groups.removeSource(tx, tenant, id);
  await refreshGroupRoles(tx, tenant, [...new Set(members.map(({ userId }) => userId))]);
};

/** OpenID Connect providers that a tenant trusts for its people. */
export const createIdentityProviders = (
  { operation, ids, secrets, http, database }: Pick<Deps, 'operation' | 'ids' | 'secrets' | 'http' | 'database'>,
  { issuer: own, resolveTxt }: { readonly issuer: string; readonly resolveTxt: ResolveTxt },
) => {
  const viewsOf = async (
    query: Query,
    tenant: TenantId,
    rows: readonly store.Provider[],
  ): Promise<readonly IdentityProviderView[]> => {
    const claimed = Map.groupBy(await claims.listByTenant(query, tenant), ({ providerId }) => providerId);
    return rows.map(({ tenant: _tenant, sealedSecret: _secret, ...provider }) => ({
      ...provider,
      redirectUri: redirectUriOf(own, provider.id),
      domainClaims: (claimed.get(provider.id) ?? []).map(claimViewOf),
    }));
  };

  const viewOf = async (query: Query, provider: store.Provider): Promise<IdentityProviderView> => {
    const [view] = await viewsOf(query, provider.tenant, [provider]);
    if (!view) throw new TypeError(`provider ${provider.id} has no view`);
    return view;
  };

  return {
    list: operation({
      name: 'identityProvider.list',
      kind: 'read',
      scope: ADMIN,
      input: Type.Object({}),
      run: async ({ tenant }, _input, query) => viewsOf(query, tenant, await store.list(query, tenant)),
    }),

    /** Creates a provider after reading its discovery document, which must name the same issuer. */
    create: operation({
      name: 'identityProvider.create',
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: ADMIN,
      input: Type.Object({
        name: freeText(100),
        issuer: Type.String({ maxLength: 500 }),
        clientId: freeText(500),
        clientSecret,
        scopes: Type.Optional(scopes),
        domains,
        groupsClaim: Type.Optional(groupsClaim),
        createsUsers: Type.Optional(Type.Boolean()),
      }),
      raises: ['RES_ALREADY_EXISTS', 'VAL_INVALID_VALUE'],
      example: {
        name: 'Example',
        issuer: 'https://id.example.com',
        clientId: 'landfall',
        clientSecret: 'secret',
        domains: ['example.com'],
      },
      async prepare({ tenant }, { issuer, clientId, clientSecret: secret }) {
        refuseIssuer(issuer);
        const access = { tenant, issuer, clientId, clientSecret: secret };
        const config = await connect({ http, ids }, access).catch((error: unknown) => {
          throw unusable(issuer, error);
        });
        return config.serverMetadata().issuer;
      },
      async run(caller, { issuer: _asked, clientSecret: secret, ...address }, tx, issuer) {
        const { tenant } = caller;
        const id = toId(ids.uuid(), 'IdentityProvider');
        const {
          name,
          scopes: requestedScopes = DEFAULT_SCOPES,
          groupsClaim: claimName = 'groups',
          createsUsers = false,
        } = address;
        const trust = {
          ...address,
          ...{ id, issuer, createsUsers, groupsClaim: claimName, scopes: withOpenid(requestedScopes), active: true },
          sealedSecret: secrets.seal(tenant, secretName(id), secret),
        };
        const created = await onConflict(
          store.insert(tx, tenant, trust),
          'identity_providers_name',
          nameConflict(name),
        );
        await claim(tx, tenant, created);
        await providerEvent(tx, caller, 'identityProvider.create', created, eventDataOf(created));
        return viewOf(tx, created);
      },
    }),

    update: operation({
      name: 'identityProvider.update',
      kind: 'write',
      scope: ADMIN,
      input: Type.Object({ ...versioned.properties, ...changes.properties }),
      raises: [...VERSIONED_RAISES, 'RES_ALREADY_EXISTS'],
      example: { id: exampleId('IdentityProvider'), name: 'Example', expectedVersion: 1 },
      async run(caller, { id, expectedVersion, ...change }, tx) {
        const { tenant } = caller;
        const before = atVersion(NOUN, await store.getLocked(tx, tenant, id), expectedVersion);
        const { clientSecret: secret, scopes: requestedScopes, ...address } = change;
        const next = {
          ...address,
          ...(requestedScopes && { scopes: withOpenid(requestedScopes) }),
          ...(secret !== undefined && { sealedSecret: secrets.seal(tenant, secretName(id), secret) }),
        };
        const duplicateName = nameConflict(address.name ?? before.name);
        const after = await onConflict(store.update(tx, tenant, id, next), 'identity_providers_name', duplicateName);
        await claim(tx, tenant, after);
        const data = { ...eventDataOf(after), fields: Object.keys(change) };
        await providerEvent(tx, caller, 'identityProvider.update', after, data);
        return viewOf(tx, after);
      },
    }),

    /** Looks up the DNS record that proves a domain. */
    verifyDomain: operation({
      name: 'identityProvider.verifyDomain',
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: ADMIN,
      input: Type.Object({ id: idOf('IdentityProvider'), domain }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS'],
      example: { id: exampleId('IdentityProvider'), domain: 'example.com' },
      async prepare({ tenant }, { id, domain: name }) {
        const claim = await database.read(tenant, (query) => claims.find(query, tenant, name));
        if (claim?.providerId !== id) throw notClaimed(id, name);
        const finding = await lookUpProof(resolveTxt, claim);
        if (finding.kind === 'proven') await endFormerProof({ database, ids }, resolveTxt, { tenant, domain: name });
        return { claim, finding };
      },
      async run(caller, { id, domain: name }, tx, { claim: before, finding }) {
        const { tenant } = caller;
        const provider = await store.findLocked(tx, tenant, id);
        const claim = await claims.find(tx, tenant, name);
        // A domain that was removed and claimed again meanwhile has another token.
        if (!provider || claim?.token !== before.token) throw notClaimed(id, name);
        await applyFinding(tx, tenant, claim, finding);
        const after = await claims.find(tx, tenant, name);
        const isProven = after !== undefined && after.provenAt !== null;
        const data = { domain: name, isProven, found: finding.kind };
        await providerEvent(tx, caller, 'identityProvider.verifyDomain', provider, data);
        return viewOf(tx, provider);
      },
    }),

    remove: operation({
      name: 'identityProvider.remove',
      kind: 'write',
      scope: ADMIN,
      input: versioned,
      raises: [...VERSIONED_RAISES, 'RES_CONFLICT'],
      example: { id: exampleId('IdentityProvider'), expectedVersion: 1 },
      async run(caller, { id, expectedVersion }, tx) {
        const { tenant } = caller;
        await lockStatusChanges(tx, tenant);
        const found = atVersion(NOUN, await store.getLocked(tx, tenant, id), expectedVersion);
        await endMemberships(tx, tenant, id);
        await store.remove(tx, tenant, id);
        await providerEvent(
          tx,
          caller,
          'identityProvider.delete',
          { id, version: found.version + 1 },
          eventDataOf(found),
        );
        return id;
      },
    }),
  };
};
