import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId, type TenantId, toId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf, patterned } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type, { type Static } from 'typebox';
import { type Client, listByIds as listClientsByIds } from '../clients/clients.ts';
import { atVersion, versionedInput } from '../protocol/expected-version.ts';
import { ROLES } from '../protocol/scopes.ts';
import * as accountStatus from './account-status.ts';
import { passwordProblem } from './password-policy.ts';
import { hashPassword } from './passwords.ts';
import { listSignInMethods, type SignInMethods } from './sign-in-methods.store.ts';
import { userEvent } from './user-events.ts';
import * as store from './users.store.ts';

export const { effectiveRoles, find, findByUsername, findCredentials, hasActiveWithRole, list, listByIds } = store;
export const { findLocked, lockActive, update } = store;
export type { User, UserId } from './users.store.ts';
export { listSignInMethods, type SignInMethods };

/** Person, client or unknown id, as the graph shows it. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  /** Null where the caller may not see them. */
  readonly roles: readonly string[] | null;
  readonly active: boolean;
  readonly createdAt: Date;
  readonly version: number;
}

/** Caller, as the edge verified it. */
export interface Me {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly user: store.User | undefined;
}

/** User name, lower case only, so that two never differ by case alone. */
export const username = patterned(
  '^[a-z0-9][a-z0-9._@+-]*[a-z0-9]$',
  'may have only lower-case letters, digits and . _ @ + -, and begins and ends with a letter or digit',
  { minLength: 2, maxLength: 100 },
);
/** Length rule of NIST SP 800-63B 3.1.1.2; any character is allowed. */
export const password = Type.String({ minLength: 12, maxLength: 200 });

export const roles = Type.Array(oneOf(...ROLES), { maxItems: ROLES.length, uniqueItems: true });

/** Refusal of a text that is no address. */
const EMAIL_REFUSAL = 'must be an address such as ann@example.com';

export const email = patterned('^[^\\s@]+@[^\\s@]+$', EMAIL_REFUSAL, { maxLength: 254 });

const createInput = Type.Object({
  username,
  displayName: freeText(200),
  email: Type.Optional(email),
  password,
  roles,
});

const versioned = versionedInput('User');

const changes = Type.Object({
  displayName: Type.Optional(freeText(200)),
  /** Empty removes it. */
  email: Type.Optional(patterned('^([^\\s@]+@[^\\s@]+)?$', EMAIL_REFUSAL, { maxLength: 254 })),
  roles: Type.Optional(roles),
});

const updateInput = Type.Intersect([versioned, changes]);

const listInput = Type.Object({
  ...pageFields,
  filter: Type.Optional(
    Type.Object({ text: Type.Optional(Type.String({ maxLength: 200 })), active: Type.Optional(Type.Boolean()) }),
  ),
});

const resolveInput = Type.Object({ ids: Type.Array(Type.String({ maxLength: 512 }), { maxItems: 1_000 }) });

const ADMIN = ['authority:admin'];
const CHANGE_RAISES = ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'] as const;

/** Inserts a user; the name must be free in all tenants. */
export const insertUser = (tx: Tx, tenant: TenantId, user: store.NewUser): Promise<store.User> =>
  onConflict(
    store.insert(tx, tenant, user),
    'users_username',
    () => new Fault('RES_ALREADY_EXISTS', `The user name ${user.username} is taken.`, { username: user.username }),
  );

/** Name of a worker of the product, from its subject: `orchestrator.releaseSources` is `Landfall (release sources)`. */
const workerName = (subject: string): string | undefined => {
  const [, worker] = /^[a-z-]+\.([a-z]+(?:[A-Z][a-z]+)*)$/.exec(subject) ?? [];
  return worker && `Landfall (${worker.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)})`;
};

/** Placeholder for an id that is no user: a client or a worker by its name, anything else by the id. */
const placeholder = (id: string, client: { name: string; createdAt: Date } | undefined): Person => ({
  id,
  username: id,
  displayName: client?.name ?? workerName(id) ?? id,
  email: null,
  roles: [],
  active: false,
  createdAt: client?.createdAt ?? new Date(0),
  version: 1,
});

const resolve = async (query: Query, tenant: TenantId, ids: readonly string[]) => {
  const uuids = ids.filter((id) => isId(id, 'User'));
  const users = new Map<string, Person>((await store.listByIds(query, tenant, uuids)).map((user) => [user.id, user]));
  const rest = uuids.filter((id) => !users.has(id));
  const clientIds = rest.map((id) => toId(id, 'Client'));
  const found = rest.length === 0 ? [] : await listClientsByIds(query, tenant, clientIds);
  const clients = new Map<string, Client>(found.map((client) => [client.id, client]));
  return ids.map((id): Person => users.get(id) ?? placeholder(id, clients.get(id)));
};

/** Whether the caller may see more than a name: an administrator, or the person. */
const mayKnow = ({ subject, scopes }: Who, id: string): boolean => id === subject || scopes.has('authority:admin');

/** Hides a person's e-mail and roles from other people. */
const visibleTo =
  (caller: Who) =>
  (person: Person): Person =>
    mayKnow(caller, person.id) ? person : { ...person, email: null, roles: null };

/** Locks the person and checks the version. */
const lockAt = async (tx: Tx, { tenant }: Who, { id, expectedVersion }: Static<typeof versioned>) =>
  atVersion('user', await store.getLocked(tx, tenant, id), expectedVersion);

export const createUsers = ({ operation, ids }: Deps) => ({
  list: operation({
    name: 'user.list',
    kind: 'read',
    scope: ADMIN,
    input: listInput,
    example: { filter: { active: true } },
    run: ({ tenant }, { filter, ...page }, query) =>
      readPage(page, (bounds) => store.list(query, tenant, { ...filter, ...bounds })),
  }),

  find: operation({
    name: 'user.find',
    kind: 'read',
    scope: ADMIN,
    input: Type.Object({ id: idOf('User') }),
    example: { id: exampleId('User') },
    run: ({ tenant }, { id }, query) => store.find(query, tenant, id),
  }),

  /** Resolves ids of events and records, in their order; unknown ids yield placeholders. */
  resolve: operation({
    name: 'user.resolve',
    kind: 'read',
    scope: [],
    input: resolveInput,
    example: { ids: [exampleId('User')] },
    run: async (caller, { ids: requested }, query) =>
      (await resolve(query, caller.tenant, requested)).map(visibleTo(caller)),
  }),

  /** Sign-in methods of people in the order of `ids`; null for unknown ids and where the caller lacks permission. */
  signInMethods: operation({
    name: 'user.signInMethods',
    kind: 'read',
    scope: [],
    input: Type.Object({ ids: Type.Array(idOf('User'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('User')] },
    async run(caller, { ids: requested }, query) {
      const known = requested.filter((id) => mayKnow(caller, id));
      const rows = await listSignInMethods(query, caller.tenant, known);
      return requested.map((id): SignInMethods | null => rows.find(({ userId }) => userId === id) ?? null);
    },
  }),

  /** Caller and their person. */
  me: operation({
    name: 'user.me',
    kind: 'read',
    scope: [],
    input: Type.Object({}),
    async run({ tenant, subject, scopes }, _input, query): Promise<Me> {
      const user = isId(subject, 'User') ? await store.find(query, tenant, subject) : undefined;
      return { subject, tenant, scopes: [...scopes], roles: user ? store.effectiveRoles(user) : [], user };
    },
  }),

  create: operation({
    name: 'user.create',
    cost: 0,
    kind: 'write',
    scope: ADMIN,
    input: createInput,
    raises: ['RES_ALREADY_EXISTS'],
    example: { username: 'ada', displayName: 'Ada', password: 'correct horse battery', roles: ['viewer'] },
    prepare(_who, { password: selected, username: name }) {
      const message = passwordProblem(selected, name);
      if (message !== undefined) throw invalid([{ field: 'password', message, code: 'VAL_INVALID_VALUE' }]);
      return hashPassword(selected);
    },
    async run(caller, { username: name, displayName, email, roles: granted }, tx, passwordHash) {
      const row = { id: toId(ids.uuid(), 'User'), username: name, displayName, email: email ?? null };
      const user = await insertUser(tx, caller.tenant, { ...row, passwordHash, roles: granted });
      await userEvent(tx, caller, 'user.create', user, { username: name, roles: granted });
      return user;
    },
  }),

  update: operation({
    name: 'user.update',
    kind: 'write',
    scope: ADMIN,
    input: updateInput,
    raises: CHANGE_RAISES,
    example: { id: exampleId('User'), displayName: 'Ada', expectedVersion: 1 },
    async run(caller, { id, expectedVersion, ...change }, tx) {
      await accountStatus.lockStatusChanges(tx, caller.tenant);
      const before = await lockAt(tx, caller, { id, expectedVersion });
      const user = await store.update(tx, caller.tenant, id, {
        ...change,
        ...(change.email === '' && { email: null }),
      });
      await accountStatus.requireAnAdministrator(tx, caller.tenant, [before]);
      if (accountStatus.losesRole(before, user)) await accountStatus.denyLiveTokens(tx, caller.tenant, [id]);
      const data = { fields: Object.keys(change), roles: user.roles, formerRoles: before.roles };
      await userEvent(tx, caller, 'user.update', user, data);
      return user;
    },
  }),

  deactivate: operation({
    name: 'user.deactivate',
    kind: 'write',
    scope: ADMIN,
    input: versioned,
    raises: CHANGE_RAISES,
    example: { id: exampleId('User'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion }, tx) {
      await accountStatus.lockStatusChanges(tx, caller.tenant);
      const before = await lockAt(tx, caller, { id, expectedVersion });
      if (!before.active) throw new Fault('RES_CONFLICT', 'The user is already deactivated.', { state: 'deactivated' });
      return accountStatus.deactivate(tx, caller, before);
    },
  }),

  reactivate: operation({
    name: 'user.reactivate',
    kind: 'write',
    scope: ADMIN,
    input: versioned,
    raises: CHANGE_RAISES,
    example: { id: exampleId('User'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion }, tx) {
      const before = await lockAt(tx, caller, { id, expectedVersion });
      if (before.active) throw new Fault('RES_CONFLICT', 'The user is active.', { state: 'active' });
      return accountStatus.reactivate(tx, caller, id);
    },
  }),
});
