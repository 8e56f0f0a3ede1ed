import { isDeepStrictEqual } from 'node:util';
import { systemCaller } from '@landfall/kernel/core/caller';
import { idOf, type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, parser } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import * as clients from '../clients/clients.ts';
import { registration, registrationOf, usesSecret } from '../clients/registration.ts';
import { clearFactors } from '../factors/factors.ts';
import { hashSecret } from '../protocol/opaque-secrets.ts';
import { createTenants, serialize, type TenantTerms } from '../tenants/tenants.ts';
import { issueLink } from '../users/account-links.ts';
import { type RecoveryLink, type RecoveryObstacle, recoverAdministrator } from '../users/administrator-recovery.ts';
import { hashPassword } from '../users/passwords.ts';
import { userEvent } from '../users/user-events.ts';
import { findByUsername, insertUser, list, password, roles, username } from '../users/users.ts';

const clientEvent = eventsOf('Client');

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
  /** Without one the person chooses it by a link. */
  password: Type.Optional(password),
});
const clientInput = Type.Intersect([
  registration,
  Type.Object({
    tenant: freeText(63),
    /** Id for a new client; generated unless given. */
    id: Type.Optional(idOf('Client')),
    secret: Type.String({ minLength: 32, maxLength: 200 }),
    servesEveryTenant: Type.Optional(Type.Boolean()),
  }),
]);

export type TenantSeed = TenantTerms;
export type UserSeed = Static<typeof userInput>;
export type ClientSeed = Static<typeof clientInput>;
type FirstPerson = Static<typeof firstPersonInput>;

/** Parts of a client outside its registration. */
type OwnParts = Pick<ClientSeed, 'id' | 'secret'>;

/** Creates the rows that the first sign-in needs, for the composition root and the command line only. */
export const createBootstrap = ({ database, ids }: Pick<Deps, 'database' | 'ids'>) => {
  const [readUser, readFirst, readClient] = [parser(userInput), parser(firstPersonInput), parser(clientInput)];
  const operator = createTenants({ database, ids }, 'bootstrap');

  const operatorOf = (tenant: TenantId) => systemCaller(tenant, 'bootstrap', ids.uuid());

  const addMissingSecret = async (tx: Tx, client: clients.Client, secret: string): Promise<boolean> => {
    if (!usesSecret(client)) return false;
    const known = await clients.listSecrets(tx, client.tenant, client.id);
    if (known.some(({ hash }) => constantTimeEqual(hash, hashSecret(secret)))) return false;
    await clients.addSecret(tx, client, { id: toId(ids.uuid(), 'ClientSecret'), hash: hashSecret(secret) });
    return true;
  };

  const ensureClientIn = async (tx: Tx, tenant: TenantId, is: clients.Registration, own: OwnParts) => {
    await serialize(tx, tenant);
    const known = await clients.findByName(tx, tenant, is.name);
    if (!known) {
      const id = own.id ?? toId(ids.uuid(), 'Client');
      const created = await clients.insertClient(tx, tenant, { id, ...is, createdBy: null });
      await addMissingSecret(tx, created, own.secret);
      await clientEvent(tx, operatorOf(tenant), 'client.create', created, { name: is.name });
      return id;
    }
    const { id } = known;
    const isNewSecret = await addMissingSecret(tx, known, own.secret);
    if (!isNewSecret && isDeepStrictEqual(clients.registrationIn(known), is)) return id;
    const changed = await clients.update(tx, tenant, id, is);
    await clientEvent(tx, operatorOf(tenant), 'client.update', changed, { name: is.name });
    return id;
  };

  return {
    /** Creates or updates a tenant by its slug. */
    ensureTenant: async (terms: TenantSeed): Promise<TenantId> => (await operator.set(terms)).is.tenant,

    /** Creates a person; an existing one keeps password and roles. Returns the id. */
    async ensureUser(seed: UserSeed): Promise<string> {
      const { tenant: slug, username: name, displayName, password: secret, roles } = readUser(seed);
      const tenant = toTenantId(slug);
      const passwordHash = await hashPassword(secret);
      return database.write(tenant, async (tx) => {
        await serialize(tx, tenant);
        const known = await findByUsername(tx, tenant, name);
        if (known) return known.id;
        const id = toId(ids.uuid(), 'User');
        await insertUser(tx, tenant, { id, username: name, displayName, email: null, passwordHash, roles });
        await userEvent(tx, operatorOf(tenant), 'user.create', { id }, { username: name });
        return id;
      });
    },

    /** Creates a tenant if it is absent and its first administrator; undefined when the tenant has people. */
    async createFirstAdmin(seed: FirstPerson): Promise<RecoveryLink | undefined> {
      const { tenant: slug, username: name, displayName, password: secret } = readFirst(seed);
      const tenant = toTenantId(slug);
      const passwordHash = secret === undefined ? null : await hashPassword(secret);
      if (!(await operator.list()).some((known) => known.tenant === tenant))
        await operator.set({ tenant: slug, name: slug });
      return database.write(tenant, async (tx) => {
        await serialize(tx, tenant);
        const [anybody] = await list(tx, tenant, { limit: 1 });
        if (anybody) return undefined;
        const id = toId(ids.uuid(), 'User');
        await insertUser(tx, tenant, { id, username: name, displayName, email: null, passwordHash, roles: ['admin'] });
        await userEvent(tx, operatorOf(tenant), 'user.create', { id }, { username: name });
        return secret === undefined
          ? issueLink(tx, operatorOf(tenant), id, 'invitation')
          : { token: null, expiresAt: null };
      });
    },

    /** Restores access of an administrator who cannot sign in, or of any with `force`, by a password or new link. */
    async recoverAdmin(
      seed: FirstPerson,
      { force }: { readonly force: boolean },
    ): Promise<RecoveryLink | RecoveryObstacle> {
      const { tenant: slug, username: name, password: secret } = readFirst(seed);
      const tenant = toTenantId(slug);
      const passwordHash = secret === undefined ? null : await hashPassword(secret);
      return database.write(tenant, (tx) =>
        recoverAdministrator(tx, operatorOf(tenant), { username: name, passwordHash, force, clearFactors }),
      );
    },

    /** Creates or updates a client by its name; a new secret is added beside the present one. Returns the id. */
    async ensureClient(seed: ClientSeed): Promise<string> {
      const { tenant: slug, id, secret, servesEveryTenant = false, ...input } = readClient(seed);
      const tenant = toTenantId(slug);
      return database.write(tenant, async (tx) => {
        const is = { ...registrationOf(input, await clients.plansOf(tx, tenant)), servesEveryTenant };
        return ensureClientIn(tx, tenant, is, { secret, ...(id && { id }) });
      });
    },
  };
};

export type Bootstrap = ReturnType<typeof createBootstrap>;
