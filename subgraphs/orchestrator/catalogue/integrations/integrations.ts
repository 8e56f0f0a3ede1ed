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
type Pings = Readonly<
  Record<store.Integration['kind'], (caller: Who, party: RemoteSystem) => Promise<Fault | undefined>>
>;

const address = Type.String({ maxLength: 2000 });
const username = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));
const password = Type.Optional(Type.String({ minLength: 1, maxLength: 4096 }));

/** Interface of a forge: required for one, and refused for other kinds. */
const providerOf = (kind: store.Integration['kind'], input: Forge | undefined): Forge | null => {
  if (kind === 'scm' && input === undefined)
    throw invalid([{ field: 'provider', message: 'is required for a forge', code: 'VAL_REQUIRED_FIELD' }]);
  if (kind !== 'scm' && input !== undefined)
    throw invalid([{ field: 'provider', message: 'is for a forge only', code: 'VAL_INVALID_VALUE' }]);
  return input ?? null;
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
    ping: (caller, { kind, baseUrl: url, host, provider, ...sealed }) =>
      pings[kind](caller, { url, host, provider, credentials: openCredentials(secrets, caller.tenant, sealed) }),
  });

  return {
    ...common.operations,

    get: operation({
      name: 'integration.get',
      ...readsById('Integration', 'RES_NOT_FOUND'),
      scope: reads,
      run: (caller, { id }, query) => store.get(query, caller.tenant, id),
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
      async run(caller, { kind, name, ...input }, tx) {
        const { url: baseUrl, host } = parseBaseUrl(http, caller.tenant, kind, input.baseUrl);
        const provider = providerOf(kind, input.provider);
        const login = credentialsOf(kind, input.username, input.password);
        const id = toId(ids.uuid(), 'Integration');
        const credentials = login ? sealCredentials(secrets, caller.tenant, id, login) : null;
        const value = { id, kind, provider, name, baseUrl, host, credentials };
        const integration = await store.insert(tx, caller.tenant, value, caller.subject);
        await common.tell(tx, caller, 'create', integration, { kind, name, baseUrl, ...(provider && { provider }) });
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
      async run(caller, { id, kind, ...input }) {
        const { url, host } = parseBaseUrl(http, caller.tenant, kind, input.baseUrl);
        const provider = providerOf(kind, input.provider);
        const saved = id && (await common.find(caller, id));
        const value = credentialsOf(kind, input.username, input.password);
        // Saved credentials are sent to the address that they were given for, and to no other.
        const known = saved && saved.kind === kind && saved.provider === provider && saved.baseUrl === url;
        const own = known && value === undefined ? openCredentials(secrets, caller.tenant, saved) : undefined;
        if (known && own) refuse(disabledRefusal('integration', saved));
        const credentials = value ?? own;
        return { ...probeOf(await pings[kind](caller, { url, host, provider, credentials })), at: clock.now() };
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
      async run(caller, input, tx) {
        const before = await common.lock(tx, caller, input.id, input.expectedVersion);
        const { url: baseUrl, host } = parseBaseUrl(http, caller.tenant, before.kind, input.baseUrl ?? before.baseUrl);
        if (host !== before.host) refuse(usageRefusal(before.name, await store.listUsages(tx, caller.tenant, before)));
        // Only a person who knows the credentials may direct them to another address.
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
        const credentials = nextCredentials(secrets, caller.tenant, before, input);
        const value = { id: before.id, name, baseUrl, host, credentials };
        const integration = await store.update(tx, caller.tenant, value, caller.subject);
        const hasRotated = credentials !== before.credentials;
        await common.tell(tx, caller, 'update', integration, { name, baseUrl, credentialsChanged: hasRotated });
        return integration;
      },
    }),
  };
};
