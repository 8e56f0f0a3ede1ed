import { onConflict } from '@landfall/kernel/db/errors';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { Fault, invalid } from '@landfall/kernel/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/ids';
import { oneOf, words } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import { decodeCursor, pageFields, pageOf } from '@landfall/kernel/page';
import Type, { type Static } from 'typebox';
import Format from 'typebox/format';
import { SCOPES } from '../scopes.ts';
import { newOpaque } from '../tokens/opaque.ts';
import * as store from './clients.store.ts';
import { GRANTS } from './grants.ts';
import { isRedirectUri } from './redirect-uris.ts';

/** Secrets that may be live at once: the present one and the one that replaces it. */
const LIVE_SECRETS = 2;

Format.Set('redirect-uri', isRedirectUri);

const uris = Type.Optional(
  Type.Array(Type.String({ maxLength: 2_000, format: 'redirect-uri' }), { maxItems: 20, uniqueItems: true }),
);

export const registration = Type.Object({
  name: words(100),
  grants: Type.Array(oneOf(...GRANTS), { minItems: 1, uniqueItems: true }),
  scopes: Type.Array(oneOf(...SCOPES), { minItems: 1, uniqueItems: true }),
  redirectUris: uris,
  postLogoutRedirectUris: uris,
  canIntrospect: Type.Optional(Type.Boolean()),
});

/** @throws Fault VAL_REQUIRED_FIELD when people are to sign in but there is nowhere to send them back to */
export const registrationOf = (given: Static<typeof registration>): store.Registration => {
  const { name, grants, scopes, redirectUris = [], postLogoutRedirectUris = [], canIntrospect = false } = given;
  if (grants.includes('authorization_code') && redirectUris.length === 0)
    throw invalid([
      { field: 'redirectUris', message: 'is required for authorization_code', code: 'VAL_REQUIRED_FIELD' },
    ]);
  return {
    name,
    grants,
    scopes,
    redirectUris,
    postLogoutRedirectUris,
    canIntrospect,
    servesEveryTenant: false,
    authMethods: ['client_secret_basic', 'client_secret_post'],
    tlsSubjectKind: null,
    tlsSubject: null,
    certificates: [],
    dpopBound: false,
    tlsBound: false,
    requiresPar: false,
    requiresConsent: false,
    resources: [],
    plan: null,
  };
};

/** A client with how many secrets it has. */
export type ClientView = store.Client & { readonly secretCount: number };

export interface ClientWithSecret {
  readonly client: ClientView;
  readonly secret: string;
}

export const insertClient = (tx: Tx, tenant: TenantId, id: store.ClientId, is: store.Registration) =>
  onConflict(
    store.insert(tx, tenant, id, is),
    'clients_name',
    () => new Fault('RES_ALREADY_EXISTS', `There is a client ${is.name} already.`, { name: is.name }),
  );

/** Adds a secret beside the present one; what is older goes. */
export const addSecret = async (
  tx: Tx,
  client: Pick<store.Client, 'tenant' | 'id'>,
  secret: store.NewSecret,
): Promise<void> => {
  await store.insertSecret(tx, client.tenant, client.id, secret);
  await store.retireSecrets(tx, client.tenant, client.id, LIVE_SECRETS);
};

export const createClients = ({ operation, ids }: Deps) => {
  const withNewSecret = async (tx: Tx, client: store.Client): Promise<ClientWithSecret> => {
    const { value, hash } = newOpaque();
    await addSecret(tx, client, { id: ids.uuid(), hash });
    const [counted] = await store.countSecrets(tx, client.tenant, [client.id]);
    return { client: { ...client, secretCount: counted?.secrets ?? 0 }, secret: value };
  };

  return {
    list: operation({
      name: 'client.list',
      kind: 'read',
      scope: ['authority:admin'],
      input: Type.Object(pageFields),
      raises: [],
      example: {},
      async run({ tenant }, { first = 50, after }, query) {
        const before = after === undefined ? undefined : decodeCursor(after);
        const rows = await store.list(query, tenant, first + 1, before);
        const counts = new Map<string, number>(
          (
            await store.countSecrets(
              query,
              tenant,
              rows.map(({ id }) => id),
            )
          ).map((row) => [row.clientId, row.secrets]),
        );
        const clients = rows.map((client): ClientView => ({ ...client, secretCount: counts.get(client.id) ?? 0 }));
        return pageOf(clients, first);
      },
    }),

    /** Clients by id, in the order of `ids`; nothing in the place of one that is not this tenant's. */
    resolve: operation({
      name: 'client.resolve',
      kind: 'read',
      scope: ['authority:admin'],
      input: Type.Object({ ids: Type.Array(idOf('Client'), { maxItems: 1_000 }) }),
      raises: [],
      example: { ids: [exampleId('Client')] },
      async run({ tenant }, { ids: wanted }, query) {
        const rows = await store.listByIds(query, tenant, wanted);
        const counts = await store.countSecrets(query, tenant, wanted);
        return wanted.map((id): ClientView | undefined => {
          const client = rows.find((row) => row.id === id);
          return client && { ...client, secretCount: counts.find((row) => row.clientId === id)?.secrets ?? 0 };
        });
      },
    }),

    create: operation({
      name: 'client.create',
      kind: 'write',
      scope: ['authority:admin'],
      input: registration,
      raises: ['RES_ALREADY_EXISTS'],
      example: { name: 'pipeline', grants: ['client_credentials'], scopes: ['release:read'] },
      async run(who, input, tx) {
        const is = registrationOf(input);
        const client = await insertClient(tx, who.tenant, toId(ids.uuid(), 'Client'), is);
        await event(tx, who, 'client.create', {
          entity: 'Client',
          id: client.id,
          version: client.version,
          data: { name: is.name, grants: is.grants, scopes: is.scopes },
        });
        return withNewSecret(tx, client);
      },
    }),

    rotateSecret: operation({
      name: 'client.rotateSecret',
      kind: 'write',
      scope: ['authority:admin'],
      input: Type.Object({ id: idOf('Client'), expectedVersion: Type.Integer({ minimum: 1 }) }),
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
      example: { id: exampleId('Client'), expectedVersion: 1 },
      async run(who, { id, expectedVersion }, tx) {
        const found = await store.lock(tx, who.tenant, id);
        if (!found) throw new Fault('RES_NOT_FOUND', `There is no client ${id}.`);
        if (found.version !== expectedVersion)
          throw new Fault('RES_VERSION_CONFLICT', 'The client has changed since you looked.', {
            expected: expectedVersion,
            actual: found.version,
          });
        const client = await store.touch(tx, who.tenant, id);
        await event(tx, who, 'client.rotateSecret', { entity: 'Client', id, version: client.version });
        return withNewSecret(tx, client);
      },
    }),
  };
};

export type Clients = ReturnType<typeof createClients>;
