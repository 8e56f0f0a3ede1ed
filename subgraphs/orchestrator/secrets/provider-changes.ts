import type { Who } from '@landfall/kernel/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { Fault, invalid } from '@landfall/kernel/fault';
import { exampleId, type Id, idOf } from '@landfall/kernel/ids';
import { oneOf } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { expectedVersion } from '../input.ts';
import { parseAddress } from '../integrations/address.ts';
import { probeOf } from '../integrations/probe.ts';
import { usageRefusal } from '../integrations/usage.ts';
import { refuse } from '../permission.ts';
import { administers } from '../scopes.ts';
import { expectVersion } from '../version.ts';
import { secretProviderKinds } from '../words.ts';
import * as store from './providers.store.ts';
import { mountPattern } from './reference.ts';
import type { Vaults } from './vaults.ts';

export const providerNotFound = (id: string): Fault =>
  new Fault('RES_NOT_FOUND', `There is no secret provider ${id}.`, { id });

export const vaultInput = {
  address: Type.String({ maxLength: 2000 }),
  mount: Type.String({ minLength: 1, maxLength: 128, pattern: mountPattern }),
  /** It becomes a header. */
  token: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' }),
};

/** An address that may be asked. @throws Fault VAL_INVALID_FORMAT, VAL_INVALID_VALUE */
export const vaultAddress = (vaults: Vaults, { tenant }: Who, given: string): string => {
  const { url } = parseAddress(given, 'address');
  const refused = vaults.refusal(tenant, url);
  if (refused !== undefined) throw invalid([{ field: 'address', message: refused, code: 'VAL_INVALID_VALUE' }]);
  return url;
};

const versioned = { id: idOf('SecretProvider'), expectedVersion };
const example = { id: exampleId('SecretProvider'), expectedVersion: 1 };
const RAISES = ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'] as const;

const locked = async (
  tx: Tx,
  who: Who,
  given: { readonly id: Id<'SecretProvider'>; readonly expectedVersion: number },
): Promise<store.Provider> => {
  const provider = await store.lock(tx, who.tenant, given.id);
  if (!provider) throw providerNotFound(given.id);
  expectVersion(provider, given.expectedVersion);
  return provider;
};

/** How a secret provider is tried before it is saved, corrected, turned off and removed. */
export const createProviderChanges = ({ operation, database, clock }: Deps, vaults: Vaults) => {
  const tell = (tx: Tx, who: Who, name: string, { id, version }: store.Provider, data: object) =>
    event(tx, who, name, { entity: 'SecretProvider', id, version, data: { ...data } });

  const setDisabled = (isDisabled: boolean) =>
    operation({
      name: isDisabled ? 'secretProvider.disable' : 'secretProvider.enable',
      kind: 'write',
      scope: administers,
      input: Type.Object(versioned),
      raises: RAISES,
      example,
      async run(who, input, tx) {
        const { name } = await locked(tx, who, input);
        const provider = await store.setDisabled(tx, who.tenant, input.id, isDisabled, who.subject);
        await tell(tx, who, isDisabled ? 'secretProvider.disable' : 'secretProvider.enable', provider, { name });
        return provider;
      },
    });

  return {
    disable: setDisabled(true),
    enable: setDisabled(false),

    /** Asks a vault that is not saved yet, or one that is by settings it does not have yet. Nothing is kept. */
    try: operation({
      name: 'secretProvider.try',
      cost: 500,
      isRemote: true,
      kind: 'read',
      isDetached: true,
      scope: administers,
      input: Type.Object({
        /** Whose token is used where none is given. */
        id: Type.Optional(idOf('SecretProvider')),
        kind: oneOf(...secretProviderKinds),
        address: vaultInput.address,
        mount: Type.Optional(vaultInput.mount),
        token: Type.Optional(vaultInput.token),
      }),
      raises: ['RES_NOT_FOUND', 'VAL_REQUIRED_FIELD'],
      example: {
        id: exampleId('SecretProvider'),
        kind: 'vault_kv',
        address: 'https://vault.example:8200',
        token: 'hvs.example',
      },
      async run(who, { id, address: given, mount = 'secret', token }) {
        const address = vaultAddress(vaults, who, given);
        const saved = id && (await database.read(who.tenant, (query) => store.findSealed(query, who.tenant, id)));
        if (id && !saved) throw providerNotFound(id);
        const at = () => clock.now();
        if (token !== undefined) return { ...probeOf(await vaults.tryOut(who, { address, mount, token })), at: at() };
        // A saved token goes to the address that it was given for, and to no other.
        if (!saved || saved.address !== address)
          throw invalid([{ field: 'token', message: 'is required for this address', code: 'VAL_REQUIRED_FIELD' }]);
        return { ...probeOf(await vaults.ping(who, { ...saved, mount })), at: at() };
      },
    }),

    update: operation({
      name: 'secretProvider.update',
      kind: 'write',
      scope: administers,
      input: Type.Object({
        ...versioned,
        address: Type.Optional(vaultInput.address),
        mount: Type.Optional(vaultInput.mount),
        token: Type.Optional(vaultInput.token),
      }),
      raises: [...RAISES, 'VAL_REQUIRED_FIELD'],
      example: { ...example, mount: 'secret' },
      async run(who, input, tx) {
        const before = await locked(tx, who, input);
        const address = vaultAddress(vaults, who, input.address ?? before.address);
        if (address !== before.address && input.token === undefined)
          throw invalid([{ field: 'token', message: 'is required for another address', code: 'VAL_REQUIRED_FIELD' }]);
        const mount = input.mount ?? before.mount;
        const token = input.token === undefined ? undefined : vaults.seal(who.tenant, before.id, input.token);
        const provider = await store.update(tx, who.tenant, { id: before.id, address, mount, token }, who.subject);
        const data = { name: before.name, address, mount, tokenChanged: token !== undefined };
        await tell(tx, who, 'secretProvider.update', provider, data);
        return provider;
      },
    }),

    remove: operation({
      name: 'secretProvider.remove',
      kind: 'write',
      scope: administers,
      input: Type.Object(versioned),
      raises: [...RAISES, 'RES_CONFLICT'],
      example,
      async run(who, input, tx) {
        const provider = await locked(tx, who, input);
        refuse(usageRefusal(provider.name, await store.listUsages(tx, who.tenant, provider)));
        await store.remove(tx, who.tenant, provider.id);
        const { name, address } = provider;
        await tell(tx, who, 'secretProvider.remove', provider, { name, address });
        return provider;
      },
    }),
  };
};
