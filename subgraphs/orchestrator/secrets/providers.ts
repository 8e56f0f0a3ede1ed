import { event } from '@landfall/kernel/events/write';
import { Fault, invalid } from '@landfall/kernel/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/ids';
import { oneOf } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { parseAddress } from '../integrations/address.ts';
import { probeOf } from '../integrations/probe.ts';
import { administers, reads } from '../scopes.ts';
import { secretProviderKinds } from '../words.ts';
import * as store from './providers.store.ts';
import { mountPattern, providerPattern } from './reference.ts';
import type { Vaults } from './vaults.ts';

const notFound = (id: string): Fault => new Fault('RES_NOT_FOUND', `There is no secret provider ${id}.`, { id });

/** Where secrets come from beside the built-in store: vaults, found by the name that references hold. */
export const createProviders = ({ operation, database, ids }: Deps, vaults: Vaults) => ({
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
      address: Type.String({ maxLength: 2000 }),
      mount: Type.Optional(Type.String({ minLength: 1, maxLength: 128, pattern: mountPattern })),
      /** It becomes a header. */
      token: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' }),
    }),
    raises: ['RES_ALREADY_EXISTS'],
    example: { name: 'main', kind: 'vault_kv', address: 'https://vault.example:8200', token: 'hvs.example' },
    async run(who, { name, kind, address: given, mount = 'secret', token }, tx) {
      const { url: address } = parseAddress(given, 'address');
      const refused = vaults.refusal(who.tenant, address);
      if (refused !== undefined) throw invalid([{ field: 'address', message: refused, code: 'VAL_INVALID_VALUE' }]);
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
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('SecretProvider') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('SecretProvider') },
    async prepare(who, { id }) {
      const provider = await database.read(who.tenant, (query) => store.findSealed(query, who.tenant, id));
      if (!provider) throw notFound(id);
      return probeOf(await vaults.ping(who, provider));
    },
    async run(who, { id }, tx, probe) {
      const provider = await store.recordProbe(tx, who.tenant, id, probe, who.subject);
      if (!provider) throw notFound(id);
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
