import { event } from '@landfall/kernel/events/write';
import { exampleId, idOf, toId } from '@landfall/kernel/ids';
import { oneOf } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { disabledRefusal, probeOf } from '../integrations/probe.ts';
import { refuse } from '../permission.ts';
import { administers, reads } from '../scopes.ts';
import { secretProviderKinds } from '../words.ts';
import { createProviderChanges, providerNotFound, vaultAddress, vaultInput } from './provider-changes.ts';
import * as store from './providers.store.ts';
import { providerPattern } from './reference.ts';
import type { Vaults } from './vaults.ts';

/** Where secrets come from beside the built-in store: vaults, found by the name that references hold. */
export const createProviders = (deps: Deps, vaults: Vaults) => ({
  ...createProviderChanges(deps, vaults),
  ...createProviderRegister(deps, vaults),
});

const createProviderRegister = ({ operation, database, ids }: Deps, vaults: Vaults) => ({
  list: operation({
    name: 'secretProvider.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    raises: [],
    example: {},
    run: (who, _input, query) => store.list(query, who.tenant),
  }),

  create: operation({
    name: 'secretProvider.create',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 64, pattern: providerPattern }),
      kind: oneOf(...secretProviderKinds),
      address: vaultInput.address,
      mount: Type.Optional(vaultInput.mount),
      token: vaultInput.token,
    }),
    raises: ['RES_ALREADY_EXISTS'],
    example: { name: 'main', kind: 'vault_kv', address: 'https://vault.example:8200', token: 'hvs.example' },
    async run(who, { name, kind, address: given, mount = 'secret', token }, tx) {
      const address = vaultAddress(vaults, who, given);
      const id = toId(ids.uuid(), 'SecretProvider');
      const sealed = vaults.seal(who.tenant, id, token);
      const provider = await store.insert(
        tx,
        who.tenant,
        { id, name, kind, address, mount, token: sealed },
        who.subject,
      );
      await event(tx, who, 'secretProvider.create', {
        entity: 'SecretProvider',
        id,
        version: provider.version,
        data: { name, kind, address, mount },
      });
      return provider;
    },
  }),

  test: operation({
    name: 'secretProvider.test',
    cost: 500,
    isRemote: true,
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('SecretProvider') }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { id: exampleId('SecretProvider') },
    async prepare(who, { id }) {
      const provider = await database.read(who.tenant, (query) => store.findSealed(query, who.tenant, id));
      if (!provider) throw providerNotFound(id);
      refuse(disabledRefusal('secret provider', provider));
      return probeOf(await vaults.ping(who, provider));
    },
    async run(who, { id }, tx, probe) {
      const provider = await store.recordProbe(tx, who.tenant, id, probe, who.subject);
      if (!provider) throw providerNotFound(id);
      await event(tx, who, 'secretProvider.test', {
        entity: 'SecretProvider',
        id,
        version: provider.version,
        data: { ...probe },
      });
      return provider;
    },
  }),
});

export type Providers = ReturnType<typeof createProviders>;
