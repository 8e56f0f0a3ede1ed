import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import { recordController } from '@landfall/kernel/identity/client-controllers';
import { denyTokensBefore, stop } from '@landfall/kernel/identity/denylist';
import type { Deps } from '@landfall/kernel/module';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { atVersion, versionedInput } from '../protocol/expected-version.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { denyExchangedTokensOf, revokeFamiliesOfClient } from '../revocation/revocation.ts';
import * as tenants from '../tenants/tenants.ts';
import * as store from './clients.store.ts';
import { isAuthMethod } from './credentials.ts';
import { isGrant } from './grant-types.ts';
import {
  applyChanges,
  narrowsTokens,
  registration,
  registrationChanges,
  registrationOf,
  usesSecret,
} from './registration.ts';
import { tlsSubjectOf } from './tls-subject.ts';

export const { findAnywhere, findByName, listByIds, listSecrets, update } = store;
export type { Client, ClientId, Registration } from './clients.store.ts';

/** Upper bound of live secrets: the present one and its successor. */
const LIVE_SECRETS = 2;

const ADMIN = ['authority:admin'];

const versioned = versionedInput('Client');
const example = { id: exampleId('Client'), expectedVersion: 1 };

const listInput = Type.Object({
  ...pageFields,
  filter: Type.Optional(
    Type.Object({ text: Type.Optional(Type.String({ maxLength: 200 })), active: Type.Optional(Type.Boolean()) }),
  ),
});

export interface ClientWithSecret {
  readonly client: ClientView;
  readonly secret: string | null;
}

/** Client as the graph shows it, with its number of secrets. */
const viewOf = (client: store.Client, secretCount: number) => {
  const { grants, authMethods, tlsSubjectKind: _kind, certificates, ...rest } = client;
  return {
    ...rest,
    grants: grants.filter(isGrant),
    authMethods: authMethods.filter(isAuthMethod),
    tlsSubject: tlsSubjectOf(client),
    certificateThumbprints: certificates,
    requiresPushedRequests: client.requiresPar,
    secretCount,
  };
};

export type ClientView = ReturnType<typeof viewOf>;

const viewsOf = async (query: Query, tenant: TenantId, rows: readonly store.Client[]): Promise<ClientView[]> => {
  const ids = rows.map(({ id }) => id);
  const counts = new Map<string, number>(
    (await store.countSecrets(query, tenant, ids)).map(({ clientId, secrets }) => [clientId, secrets]),
  );
  return rows.map((client) => viewOf(client, counts.get(client.id) ?? 0));
};

const viewOfOne = async (query: Query, client: store.Client): Promise<ClientView> =>
  viewOf(client, (await store.listSecrets(query, client.tenant, client.id)).length);

const duplicateName = (name: string) => (): Fault =>
  new Fault('RES_ALREADY_EXISTS', `There is a client ${name} already.`, { name });

export const insertClient = (
  tx: Tx,
  tenant: TenantId,
  client: store.Registration & { readonly id: store.ClientId; readonly createdBy: string | null },
) => onConflict(store.insert(tx, tenant, client), 'clients_name', duplicateName(client.name));

export const addSecret = async (
  tx: Tx,
  { tenant, id: clientId }: Pick<store.Client, 'tenant' | 'id'>,
  secret: { readonly id: Id<'ClientSecret'>; readonly hash: Buffer },
): Promise<void> => {
  await store.insertSecret(tx, tenant, { clientId, ...secret });
  await store.retireSecrets(tx, tenant, clientId, LIVE_SECRETS);
};

export const plansOf = async (query: Query, tenant: TenantId): Promise<readonly string[]> =>
  (await tenants.find(query, tenant))?.plans ?? [];

/** @throws Fault RES_NOT_FOUND, RES_VERSION_CONFLICT, PERM_ACTION_DENIED of a client that serves every tenant */
const lock = async (tx: Tx, caller: Who, { id, expectedVersion }: { id: store.ClientId; expectedVersion: number }) => {
  const found = atVersion('client', await store.getLocked(tx, caller.tenant, id), expectedVersion);
  if (found.servesEveryTenant)
    throw new Fault('PERM_ACTION_DENIED', 'The client serves every tenant: it is the operator’s.', { id });
  return found;
};

/** Registration of a client, without its id and state. */
export const registrationIn = ({
  tenant: _tenant,
  id: _id,
  active: _active,
  createdBy: _createdBy,
  createdAt: _createdAt,
  version: _version,
  ...registration
}: store.Client): store.Registration => registration;

/** Event data of a registration; contains no secret. */
const eventDataOf = ({ name, grants, scopes, authMethods, allowedOrigins, plan }: store.Registration) => ({
  name,
  grants,
  scopes,
  authMethods,
  allowedOrigins,
  plan,
});

const writeEvent = eventsOf('Client');

const clientEvent = (tx: Tx, caller: Who, type: string, client: store.Client): Promise<void> =>
  writeEvent(tx, caller, type, client, eventDataOf(client));

export const createClients = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => {
  const withNewSecret = async (tx: Tx, client: store.Client): Promise<ClientWithSecret> => {
    const { value, hash } = newOpaqueSecret();
    await addSecret(tx, client, { id: toId(ids.uuid(), 'ClientSecret'), hash });
    return { client: await viewOfOne(tx, client), secret: value };
  };

  return {
    list: operation({
      name: 'client.list',
      kind: 'read',
      scope: ADMIN,
      input: listInput,
      run: ({ tenant }, { filter, ...page }, query) =>
        readPage(page, async (bounds) =>
          viewsOf(query, tenant, await store.list(query, tenant, { ...filter, ...bounds })),
        ),
    }),

    find: operation({
      name: 'client.find',
      kind: 'read',
      scope: ADMIN,
      input: Type.Object({ id: idOf('Client') }),
      example: { id: exampleId('Client') },
      async run({ tenant }, { id }, query) {
        const [view] = await viewsOf(query, tenant, await store.listByIds(query, tenant, [id]));
        return view;
      },
    }),

    /** Reads clients in the order of `ids`; undefined for an id of another tenant. */
    resolve: operation({
      name: 'client.resolve',
      kind: 'read',
      scope: ADMIN,
      input: Type.Object({ ids: Type.Array(idOf('Client'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('Client')] },
      async run({ tenant }, { ids }, query) {
        const views = await viewsOf(query, tenant, await store.listByIds(query, tenant, ids));
        const byId = new Map<string, ClientView>(views.map((client) => [client.id, client]));
        return ids.map((id): ClientView | undefined => byId.get(id));
      },
    }),

    create: operation({
      name: 'client.create',
      kind: 'write',
      scope: ADMIN,
      input: registration,
      raises: ['RES_ALREADY_EXISTS'],
      example: { name: 'pipeline', grants: ['client_credentials'], scopes: ['release:read'] },
      async run(caller, input, tx): Promise<ClientWithSecret> {
        const is = registrationOf(input, await plansOf(tx, caller.tenant));
        const id = toId(ids.uuid(), 'Client');
        const client = await insertClient(tx, caller.tenant, { id, ...is, createdBy: caller.subject });
        await recordController(tx, caller, id);
        await clientEvent(tx, caller, 'client.create', client);
        return usesSecret(is) ? withNewSecret(tx, client) : { client: viewOf(client, 0), secret: null };
      },
    }),

    update: operation({
      name: 'client.update',
      kind: 'write',
      scope: ADMIN,
      input: Type.Intersect([versioned, registrationChanges]),
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_ALREADY_EXISTS', 'PERM_ACTION_DENIED'],
      example,
      async run(caller, { id, expectedVersion, ...changes }, tx): Promise<ClientView> {
        const previous = registrationIn(await lock(tx, caller, { id, expectedVersion }));
        const is = applyChanges(previous, changes, await plansOf(tx, caller.tenant));
        const client = await onConflict(
          store.update(tx, caller.tenant, id, is),
          'clients_name',
          duplicateName(is.name),
        );
        // A secret that is no longer accepted has no use and could only leak.
        if (!usesSecret(is)) await store.retireSecrets(tx, caller.tenant, id, 0);
        await recordController(tx, caller, id);
        await clientEvent(tx, caller, 'client.update', client);
        // After the event, since the caller may be authenticated by this very client.
        if (narrowsTokens(previous, is)) {
          await denyExchangedTokensOf(tx, caller.tenant, id);
          await denyTokensBefore(tx, id, ids.uuid());
        }
        return viewOfOne(tx, client);
      },
    }),

    /** Deactivates a client and revokes everything issued to it. */
    deactivate: operation({
      name: 'client.deactivate',
      kind: 'write',
      scope: ADMIN,
      input: versioned,
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT', 'PERM_ACTION_DENIED'],
      example,
      async run(caller, input, tx): Promise<ClientView> {
        const found = await lock(tx, caller, input);
        if (!found.active) throw new Fault('RES_CONFLICT', `The client ${found.name} is already deactivated.`);
        const client = await store.update(tx, caller.tenant, input.id, { active: false });
        await clientEvent(tx, caller, 'client.deactivate', client);
        // All of it after the event, since the caller may be authenticated by this very client.
        await revokeFamiliesOfClient(tx, caller.tenant, input.id);
        await denyExchangedTokensOf(tx, caller.tenant, input.id);
        await stop(tx, 'client', input.id);
        return viewOfOne(tx, client);
      },
    }),

    rotateSecret: operation({
      name: 'client.rotateSecret',
      kind: 'write',
      scope: ADMIN,
      input: versioned,
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT', 'PERM_ACTION_DENIED'],
      example,
      async run(caller, input, tx): Promise<ClientWithSecret> {
        const found = await lock(tx, caller, input);
        if (!usesSecret(found))
          throw new Fault(
            'RES_CONFLICT',
            `The client ${found.name} has no secret: it authenticates by its certificate, or by nothing.`,
          );
        const client = await store.update(tx, caller.tenant, input.id, {});
        await recordController(tx, caller, input.id);
        await clientEvent(tx, caller, 'client.rotateSecret', client);
        return withNewSecret(tx, client);
      },
    }),
  };
};
