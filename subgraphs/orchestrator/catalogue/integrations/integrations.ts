import type { Who } from '@landfall/kernel/core/caller';
import { type Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { type Forge, forges, integrationKinds } from '../../shared/enums.ts';
import { label } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { readsById } from '../../shared/read-operations.ts';
import { administers, reads } from '../../shared/scopes.ts';
import { type Address, parseBaseUrl } from './address.ts';
import { type Credentials, credentialsOf, nextCredentials, openCredentials, sealCredentials } from './credentials.ts';
import { usageRefusal } from './integration-usage.ts';
import * as store from './integrations.store.ts';
import { disabledRefusal, probeOf } from './probe.ts';
import { createRemoteSystemOperations } from './remote-system-operations.ts';

export const { get: getIntegration, listByIds: listIntegrations } = store;

/** Address and credentials of a remote system. */
export interface RemoteSystem extends Address {
  readonly credentials: Credentials | undefined;
  /** Interface of a forge; null for other kinds. */
  readonly provider: Forge | null;
}

/** Probe function by kind of integration. */
type Pings = Readonly<Record<store.Integration['kind'], (who: Who, party: RemoteSystem) => Promise<Fault | undefined>>>;

const address = Type.String({ maxLength: 2000 });
const username = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));
const password = Type.Optional(Type.String({ minLength: 1, maxLength: 4096 }));

/** Interface of a forge: required for one, and refused for other kinds. */
const providerOf = (kind: store.Integration['kind'], given: Forge | undefined): Forge | null => {
  if (kind === 'scm' && given === undefined)
    throw invalid([{ field: 'provider', message: 'is required for a forge', code: 'VAL_REQUIRED_FIELD' }]);
  if (kind !== 'scm' && given !== undefined)
    throw invalid([{ field: 'provider', message: 'is for a forge only', code: 'VAL_INVALID_VALUE' }]);
  return given ?? null;
};

/**
 * Creates the operations on integrations, which are registries, the metrics servers of canary analysis, and forges.
 */
export const createIntegrations = (deps: Deps, pings: Pings) => {
  const { operation, ids, secrets, http, clock } = deps;
  const common = createRemoteSystemOperations(deps, {
    entity: 'Integration',
    noun: 'integration',
    label: 'integration',
    store,
    address: ({ baseUrl }) => ({ baseUrl }),
    getSealed: store.get,
    ping: (who, { kind, baseUrl: url, host, provider, ...sealed }) =>
      pings[kind](who, { url, host, provider, credentials: openCredentials(secrets, who.tenant, sealed) }),
  });

  return {
    ...common.operations,

    get: operation({
      name: 'integration.get',
      ...readsById('Integration', 'RES_NOT_FOUND'),
      scope: reads,
      run: (who, { id }, query) => store.get(query, who.tenant, id),
    }),

    create: operation({
      name: 'integration.create',
      kind: 'write',
      scope: administers,
      input: Type.Object({
        kind: oneOf(...integrationKinds),
        provider: Type.Optional(oneOf(...forges)),
        name: label,
        baseUrl: address,
        username,
        password,
      }),
      raises: ['RES_ALREADY_EXISTS'],
      example: { kind: 'registry', name: 'Main registry', baseUrl: 'https://registry.example' },
      async run(who, { kind, name, ...input }, tx) {
        const { url: baseUrl, host } = parseBaseUrl(http, who.tenant, kind, input.baseUrl);
        const provider = providerOf(kind, input.provider);
        const login = credentialsOf(kind, input.username, input.password);
        const id = toId(ids.uuid(), 'Integration');
        const credentials = login ? sealCredentials(secrets, who.tenant, id, login) : null;
        const given = { id, kind, provider, name, baseUrl, host, credentials };
        const integration = await store.insert(tx, who.tenant, given, who.subject);
        await common.tell(tx, who, 'create', integration, { kind, name, baseUrl, ...(provider && { provider }) });
        return integration;
      },
    }),

    /** Probes a remote system with unsaved settings. Stores nothing. */
    try: operation({
      name: 'integration.try',
      cost: 500,
      isRemote: true,
      kind: 'read',
      isDetached: true,
      scope: administers,
      input: Type.Object({
        /** Integration whose saved credentials are used when none are given. */
        id: Type.Optional(idOf('Integration')),
        kind: oneOf(...integrationKinds),
        provider: Type.Optional(oneOf(...forges)),
        baseUrl: address,
        username,
        password,
      }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId('Integration'), kind: 'registry', baseUrl: 'https://registry.example' },
      async run(who, { id, kind, ...input }) {
        const { url, host } = parseBaseUrl(http, who.tenant, kind, input.baseUrl);
        const provider = providerOf(kind, input.provider);
        const saved = id && (await common.find(who, id));
        const given = credentialsOf(kind, input.username, input.password);
        // Saved credentials go to the address that they were given for, and to no other.
        const known = saved && saved.kind === kind && saved.provider === provider && saved.baseUrl === url;
        const own = known && given === undefined ? openCredentials(secrets, who.tenant, saved) : undefined;
        if (known && own) refuse(disabledRefusal('integration', saved));
        const credentials = given ?? own;
        return { ...probeOf(await pings[kind](who, { url, host, provider, credentials })), at: clock.now() };
      },
    }),

    update: operation({
      name: 'integration.update',
      kind: 'write',
      scope: administers,
      input: Type.Object({
        ...common.versioned,
        name: Type.Optional(label),
        baseUrl: Type.Optional(address),
        username,
        password,
        removeCredentials: Type.Optional(Type.Boolean()),
      }),
      raises: [...common.raises, 'RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: { ...common.example, name: 'Main registry' },
      async run(who, input, tx) {
        const before = await common.lock(tx, who, input.id, input.expectedVersion);
        const { url: baseUrl, host } = parseBaseUrl(http, who.tenant, before.kind, input.baseUrl ?? before.baseUrl);
        if (host !== before.host) refuse(usageRefusal(before.name, await store.listUsages(tx, who.tenant, before)));
        // Credentials go where somebody who knows them sends them.
        if (
          baseUrl !== before.baseUrl &&
          before.credentials &&
          input.password === undefined &&
          !input.removeCredentials
        )
          throw invalid([
            { field: 'password', message: 'is required again for another address', code: 'VAL_REQUIRED_FIELD' },
          ]);
        const name = input.name ?? before.name;
        const credentials = nextCredentials(secrets, who.tenant, before, input);
        const given = { id: before.id, name, baseUrl, host, credentials };
        const integration = await store.update(tx, who.tenant, given, who.subject);
        const hasRotated = credentials !== before.credentials;
        await common.tell(tx, who, 'update', integration, { name, baseUrl, credentialsChanged: hasRotated });
        return integration;
      },
    }),
  };
};
