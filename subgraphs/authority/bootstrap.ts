import { isDeepStrictEqual } from 'node:util';
import { systemCaller } from '@landfall/kernel/core/caller';
import { idOf, type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import type { Tx } from '@landfall/kernel/db/query';
import { type EventBody, event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, parser } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import * as clients from './clients/clients.store.ts';
import { addSecret, insertClient, plansOf } from './clients/clients.ts';
import { registration, registrationOf, usesSecret } from './clients/registration.ts';
import { hashSecret } from './protocol/opaque-secrets.ts';
import * as tenants from './tenants/tenants.store.ts';
import { createTenants, type TenantTerms } from './tenants/tenants.ts';
import { issueLink } from './users/account-links.ts';
import { type RecoveryLink, type RecoveryObstacle, recoverAdministrator } from './users/administrator-recovery.ts';
import { hashPassword } from './users/passwords.ts';
import * as users from './users/users.store.ts';
import { insertUser, password, roles, username } from './users/users.ts';

const userInput = Type.Object({
  tenant: freeText(63),
  username,
  displayName: freeText(200),
  password,
  roles,
});
const firstPersonInput = Type.Object({
  tenant: freeText(63),
  username,
  displayName: freeText(200),
  /** Left out: the person chooses one by a link. */
  password: Type.Optional(password),
});
const clientInput = Type.Intersect([
  registration,
  Type.Object({
    tenant: freeText(63),
    /** Of a client that does not exist yet; a new one unless given. */
    id: Type.Optional(idOf('Client')),
    secret: Type.String({ minLength: 32, maxLength: 200 }),
    servesEveryTenant: Type.Optional(Type.Boolean()),
  }),
]);

export type TenantSeed = TenantTerms;
export type UserSeed = Static<typeof userInput>;
export type ClientSeed = Static<typeof clientInput>;
export type FirstPerson = Static<typeof firstPersonInput>;

/** What of a client its registration does not say. */
type OwnParts = Pick<ClientSeed, 'id' | 'secret'>;

/**
 * What must be there before anybody can sign in. Only the composition root and the command line reach these; each
 * brings its row to the given state, is harmless to repeat, and writes its event when it changed something.
 */
export const createBootstrap = ({ database, ids }: Pick<Deps, 'database' | 'ids'>) => {
  const [readUser, readClient] = [parser(userInput), parser(clientInput)];
  const readFirst = parser(firstPersonInput);
  const operator = createTenants({ database, ids }, 'bootstrap');

  const operatorOf = (tenant: TenantId) => systemCaller(tenant, 'bootstrap', ids.uuid());

  const tell = (tx: Tx, tenant: TenantId, type: string, body: EventBody) => event(tx, operatorOf(tenant), type, body);

  const addMissingSecret = async (tx: Tx, client: clients.Client, secret: string): Promise<boolean> => {
    if (!usesSecret(client)) return false;
    const known = await clients.listSecrets(tx, client.tenant, client.id);
    if (known.some(({ hash }) => constantTimeEqual(hash, hashSecret(secret)))) return false;
    await addSecret(tx, client, { id: ids.uuid(), hash: hashSecret(secret) });
    return true;
  };

  const ensureClientIn = async (tx: Tx, tenant: TenantId, is: clients.Registration, own: OwnParts) => {
    await tenants.serialize(tx, tenant);
    const known = await clients.findByName(tx, tenant, is.name);
    if (!known) {
      const made = await insertClient(tx, tenant, own.id ?? toId(ids.uuid(), 'Client'), is);
      await addMissingSecret(tx, made, own.secret);
      await tell(tx, tenant, 'client.create', {
        entity: 'Client',
        id: made.id,
        version: made.version,
        data: { name: is.name },
      });
      return made.id;
    }
    const { tenant: _tenant, id, active: _active, createdBy: _by, createdAt: _createdAt, version, ...was } = known;
    const isNewSecret = await addMissingSecret(tx, known, own.secret);
    if (!isNewSecret && isDeepStrictEqual(was, is)) return id;
    await clients.update(tx, tenant, id, is);
    await tell(tx, tenant, 'client.update', { entity: 'Client', id, version: version + 1, data: { name: is.name } });
    return id;
  };

  return {
    /** A tenant by its slug, on these terms. */
    ensureTenant: async (terms: TenantSeed): Promise<TenantId> => (await operator.set(terms)).is.tenant,

    /** A person of a tenant. One who is there already keeps password and roles. Returns the id. */
    async ensureUser(seed: UserSeed): Promise<string> {
      const { tenant: slug, username: name, displayName, password: secret, roles } = readUser(seed);
      const tenant = toTenantId(slug);
      const passwordHash = await hashPassword(secret);
      return database.write(tenant, async (tx) => {
        await tenants.serialize(tx, tenant);
        const known = await users.findByUsername(tx, tenant, name);
        if (known) return known.id;
        const id = toId(ids.uuid(), 'User');
        await insertUser(tx, tenant, { id, username: name, displayName, email: null, passwordHash, roles });
        await tell(tx, tenant, 'user.create', { entity: 'User', id, version: 1, data: { username: name } });
        return id;
      });
    },

    /**
     * The first person of a tenant, an administrator; the tenant is made where there is none of that slug. Undefined when
     * it has anybody already, and then nothing changes; of several at once one succeeds.
     */
    async createFirstAdmin(seed: FirstPerson): Promise<RecoveryLink | undefined> {
      const { tenant: slug, username: name, displayName, password: secret } = readFirst(seed);
      const tenant = toTenantId(slug);
      const passwordHash = secret === undefined ? null : await hashPassword(secret);
      if (!(await operator.list()).some((known) => known.tenant === tenant))
        await operator.set({ tenant: slug, name: slug });
      return database.write(tenant, async (tx) => {
        await tenants.serialize(tx, tenant);
        const [anybody] = await users.list(tx, tenant, { limit: 1 });
        if (anybody) return undefined;
        const id = toId(ids.uuid(), 'User');
        await insertUser(tx, tenant, { id, username: name, displayName, email: null, passwordHash, roles: ['admin'] });
        await tell(tx, tenant, 'user.create', { entity: 'User', id, version: 1, data: { username: name } });
        return secret === undefined
          ? issueLink(tx, operatorOf(tenant), id, 'invitation')
          : { token: null, expiresAt: null };
      });
    },

    /**
     * Lets an administrator in again who cannot sign in, or, with `again`, one who could: by the password given, else by
     * a new link.
     */
    async readmitAdmin(
      seed: FirstPerson,
      { again }: { readonly again: boolean },
    ): Promise<RecoveryLink | RecoveryObstacle> {
      const { tenant: slug, username: name, password: secret } = readFirst(seed);
      const tenant = toTenantId(slug);
      const passwordHash = secret === undefined ? null : await hashPassword(secret);
      return database.write(tenant, (tx) =>
        recoverAdministrator(tx, operatorOf(tenant), { username: name, passwordHash, again }),
      );
    },

    /** A client of a tenant, found by its name; a secret that it does not have yet joins the present one. Returns the id. */
    async ensureClient(seed: ClientSeed): Promise<string> {
      const { tenant: slug, id, secret, servesEveryTenant = false, ...given } = readClient(seed);
      const tenant = toTenantId(slug);
      return database.write(tenant, async (tx) => {
        const is = { ...registrationOf(given, await plansOf(tx, tenant)), servesEveryTenant };
        return ensureClientIn(tx, tenant, is, { secret, ...(id && { id }) });
      });
    },
  };
};

export type Bootstrap = ReturnType<typeof createBootstrap>;
