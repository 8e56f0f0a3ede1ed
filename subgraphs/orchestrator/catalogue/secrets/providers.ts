import type { Who } from '@landfall/kernel/core/caller';
import { invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { oneOf, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { secretProviderKinds } from '../../shared/enums.ts';
import { refuse } from '../../shared/permission.ts';
import { administers } from '../../shared/scopes.ts';
import { mountPattern, providerPattern } from '../../shared/secret-reference.ts';
import { parseAddress } from '../integrations/address.ts';
import { disabledRefusal, probeOf } from '../integrations/probe.ts';
import { createRemoteSystemOperations } from '../integrations/remote-system-operations.ts';
import * as store from './providers.store.ts';
import type { Vaults } from './vaults.ts';

export const { listByIds: listProviders } = store;

const vaultInput = {
  address: Type.String({ maxLength: 2000 }),
  mount: patterned(
    mountPattern,
    'must be names of letters, digits, dots, underscores, tildes and hyphens, joined by slashes',
    { minLength: 1, maxLength: 128 },
  ),
  /** Token of the vault; the pattern admits what an HTTP header can carry. */
  token: patterned('^[\\x21-\\x7e]+$', 'may have only visible ASCII characters, and no spaces', {
    minLength: 1,
    maxLength: 4096,
  }),
};

/** Parses a vault's address allowed by the egress policy; throws Fault VAL_INVALID_FORMAT, VAL_INVALID_VALUE. */
const vaultAddress = (vaults: Vaults, { tenant }: Who, address: string): string => {
  const { url } = parseAddress(address, 'address');
  const refused = vaults.refusal(tenant, url);
  if (refused !== undefined) throw invalid([{ field: 'address', message: refused, code: 'VAL_INVALID_VALUE' }]);
  return url;
};

/** Creates the operations on secret providers: vaults beside the built-in store, addressed by name in references. */
export const createProviders = (deps: Deps, vaults: Vaults) => {
  const { operation, ids, clock } = deps;
  const common = createRemoteSystemOperations(deps, {
    entity: 'SecretProvider',
    noun: 'secretProvider',
    label: 'secret provider',
    store,
    address: ({ address }) => ({ address }),
    getSealed: store.getSealed,
    ping: vaults.ping,
  });

  return {
    ...common.operations,

    create: operation({
      name: 'secretProvider.create',
      kind: 'write',
      scope: administers,
      input: Type.Object({
        name: patterned(
          providerPattern,
          'may have only lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen',
          { minLength: 1, maxLength: 64 },
        ),
        kind: oneOf(...secretProviderKinds),
        address: vaultInput.address,
        mount: Type.Optional(vaultInput.mount),
        token: vaultInput.token,
      }),
      raises: ['RES_ALREADY_EXISTS'],
      example: { name: 'main', kind: 'vault_kv', address: 'https://vault.example:8200', token: 'hvs.example' },
      async run(caller, { name, kind, address: addressText, mount = 'secret', token }, tx) {
        const address = vaultAddress(vaults, caller, addressText);
        const id = toId(ids.uuid(), 'SecretProvider');
        const saved = { id, name, kind, address, mount, token: vaults.seal(caller.tenant, id, token) };
        const provider = await store.insert(tx, caller.tenant, saved, caller.subject);
        await common.tell(tx, caller, 'create', provider, { name, kind, address, mount });
        return provider;
      },
    }),

    /** Probes a vault with unsaved settings. Stores nothing. */
    try: operation({
      name: 'secretProvider.try',
      cost: 500,
      isRemote: true,
      kind: 'read',
      isDetached: true,
      scope: administers,
      input: Type.Object({
        /** Provider whose saved token is used when none is given. */
        id: Type.Optional(idOf('SecretProvider')),
        kind: oneOf(...secretProviderKinds),
        address: vaultInput.address,
        mount: Type.Optional(vaultInput.mount),
        token: Type.Optional(vaultInput.token),
      }),
      raises: ['RES_NOT_FOUND', 'VAL_REQUIRED_FIELD', 'RES_CONFLICT'],
      example: {
        id: exampleId('SecretProvider'),
        kind: 'vault_kv',
        address: 'https://vault.example:8200',
        token: 'hvs.example',
      },
      async run(caller, { id, address: addressText, mount = 'secret', token }) {
        const address = vaultAddress(vaults, caller, addressText);
        const saved = id && (await common.find(caller, id));
        const at = () => clock.now();
        if (token !== undefined)
          return { ...probeOf(await vaults.tryOut(caller, { address, mount, token })), at: at() };
        // A saved token is sent to the address that it was given for, and to no other.
        if (!saved || saved.address !== address)
          throw invalid([{ field: 'token', message: 'is required for this address', code: 'VAL_REQUIRED_FIELD' }]);
        refuse(disabledRefusal('secret provider', saved));
        return { ...probeOf(await vaults.ping(caller, { ...saved, mount })), at: at() };
      },
    }),

    update: operation({
      name: 'secretProvider.update',
      kind: 'write',
      scope: administers,
      input: Type.Object({
        ...common.versioned,
        address: Type.Optional(vaultInput.address),
        mount: Type.Optional(vaultInput.mount),
        token: Type.Optional(vaultInput.token),
      }),
      raises: [...common.raises, 'VAL_REQUIRED_FIELD'],
      example: { ...common.example, mount: 'secret' },
      async run(caller, input, tx) {
        const before = await common.lock(tx, caller, input.id, input.expectedVersion);
        const address = vaultAddress(vaults, caller, input.address ?? before.address);
        if (address !== before.address && input.token === undefined)
          throw invalid([{ field: 'token', message: 'is required for another address', code: 'VAL_REQUIRED_FIELD' }]);
        const mount = input.mount ?? before.mount;
        const token = input.token === undefined ? undefined : vaults.seal(caller.tenant, before.id, input.token);
        const provider = await store.update(
          tx,
          caller.tenant,
          { id: before.id, address, mount, token },
          caller.subject,
        );
        const data = { name: before.name, address, mount, tokenChanged: token !== undefined };
        await common.tell(tx, caller, 'update', provider, data);
        return provider;
      },
    }),
  };
};
