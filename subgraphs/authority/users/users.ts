import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId, type TenantId, toId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import { decodeCursor, pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type, { type Static } from 'typebox';
import { listByIds as listClientsByIds } from '../clients/clients.store.ts';
import { ROLES } from '../protocol/scopes.ts';
import * as accountStatus from './account-status.ts';
import { passwordProblem } from './password-policy.ts';
import { hashPassword } from './passwords.ts';
import { listByUsers as listWaysIn, type SignInMethods } from './sign-in-methods.store.ts';
import * as store from './users.store.ts';

/** Whoever an id stands for, in the graph's words: a person, a client, or somebody unknown here. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  /** Null: not for this caller to know. */
  readonly roles: readonly string[] | null;
  readonly active: boolean;
  readonly createdAt: Date;
  readonly version: number;
}

/** Who is asking, as the edge verified it. */
export interface Me {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly user: store.User | undefined;
}

/** Names are compared as they are written: lower case, so that two never differ by case alone. */
export const username = Type.String({
  minLength: 2,
  maxLength: 100,
  pattern: '^[a-z0-9][a-z0-9._@+-]*[a-z0-9]$',
});
/** NIST SP 800-63B 3.1.1.2: length is what counts, and any character may be in it. */
export const password = Type.String({ minLength: 12, maxLength: 200 });

export const roles = Type.Array(oneOf(...ROLES), { maxItems: ROLES.length, uniqueItems: true });

export const email = Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' });

const createInput = Type.Object({
  username,
  displayName: freeText(200),
  email: Type.Optional(email),
  password,
  roles,
});

const versioned = Type.Object({ id: idOf('User'), expectedVersion: Type.Integer({ minimum: 1 }) });

const changes = Type.Object({
  displayName: Type.Optional(freeText(200)),
  /** Empty: none any more. */
  email: Type.Optional(Type.String({ maxLength: 254, pattern: '^([^\\s@]+@[^\\s@]+)?$' })),
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

/** Writes a user, whose name nobody anywhere may have yet. */
export const insertUser = (tx: Tx, tenant: TenantId, user: store.NewUser): Promise<store.User> =>
  onConflict(
    store.insert(tx, tenant, user),
    'users_username',
    () => new Fault('RES_ALREADY_EXISTS', `The user name ${user.username} is taken.`, { username: user.username }),
  );

/** Nobody of that id here: a client acts under its own name, anybody else under the id alone. */
const stranger = (id: string, client: { name: string; createdAt: Date } | undefined): Person => ({
  id,
  username: id,
  displayName: client?.name ?? id,
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
  const clients = new Map<string, { name: string; createdAt: Date }>(
    rest.length === 0 ? [] : (await listClientsByIds(query, tenant, rest)).map((client) => [client.id, client]),
  );
  return ids.map((id): Person => users.get(id) ?? stranger(id, clients.get(id)));
};

/** Administrators and the person alone are told more than a name. */
const mayKnow = ({ subject, scopes }: Who, id: string): boolean => id === subject || scopes.has('authority:admin');

/** A person as far as `who` may know of them: everybody is told a name, administrators and the person alone the rest. */
const asSeenBy =
  (who: Who) =>
  (person: Person): Person =>
    mayKnow(who, person.id) ? person : { ...person, email: null, roles: null };

/** The person as they stay until this transaction ends, if they are as the caller saw them. */
const lockAt = async (
  tx: Tx,
  tenant: TenantId,
  { id, expectedVersion }: Static<typeof versioned>,
): Promise<store.User> => {
  const found = await store.lock(tx, tenant, id);
  if (!found) throw new Fault('RES_NOT_FOUND', `There is no user ${id}.`);
  if (found.version === expectedVersion) return found;
  throw new Fault('RES_VERSION_CONFLICT', 'The user has changed since you looked.', {
    expected: expectedVersion,
    actual: found.version,
  });
};

/** What is left out of a change stays. */
const profileOf = (was: store.User, change: Static<typeof changes>): store.Profile => ({
  displayName: change.displayName ?? was.displayName,
  email: change.email === undefined ? was.email : change.email || null,
  roles: change.roles ?? was.roles,
});

export const createUsers = ({ operation, ids }: Deps) => ({
  list: operation({
    name: 'user.list',
    kind: 'read',
    scope: ADMIN,
    input: listInput,
    raises: [],
    example: { filter: { active: true } },
    async run({ tenant }, { first = 50, after, filter }, query) {
      const search = { ...filter, after: after === undefined ? undefined : decodeCursor(after), limit: first + 1 };
      return pageOf(await store.list(query, tenant, search), first);
    },
  }),

  find: operation({
    name: 'user.find',
    kind: 'read',
    scope: ADMIN,
    input: Type.Object({ id: idOf('User') }),
    raises: [],
    example: { id: exampleId('User') },
    run: ({ tenant }, { id }, query) => store.find(query, tenant, id),
  }),

  /** People by the ids in events and records, in their order; never fewer than were asked for. */
  resolve: operation({
    name: 'user.resolve',
    kind: 'read',
    scope: [],
    input: resolveInput,
    raises: [],
    example: { ids: [exampleId('User')] },
    run: async (who, { ids: wanted }, query) => (await resolve(query, who.tenant, wanted)).map(asSeenBy(who)),
  }),

  /** How people can sign in, in the order of `ids`; null for those of whom the caller may not know, and for nobody. */
  waysIn: operation({
    name: 'user.waysIn',
    kind: 'read',
    scope: [],
    input: Type.Object({ ids: Type.Array(idOf('User'), { maxItems: 1_000 }) }),
    raises: [],
    example: { ids: [exampleId('User')] },
    async run(who, { ids: wanted }, query) {
      const rows = await listWaysIn(
        query,
        who.tenant,
        wanted.filter((id) => mayKnow(who, id)),
      );
      return wanted.map((id): SignInMethods | null => rows.find(({ userId }) => userId === id) ?? null);
    },
  }),

  /** Who is asking, and as which person. */
  me: operation({
    name: 'user.me',
    kind: 'read',
    scope: [],
    input: Type.Object({}),
    raises: [],
    example: {},
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
    prepare(_who, { password: chosen, username: name }) {
      const message = passwordProblem(chosen, name);
      if (message !== undefined) throw invalid([{ field: 'password', message, code: 'VAL_INVALID_VALUE' }]);
      return hashPassword(chosen);
    },
    async run(who, { username: name, displayName, email, roles: held }, tx, passwordHash) {
      const user = await insertUser(tx, who.tenant, {
        id: toId(ids.uuid(), 'User'),
        username: name,
        displayName,
        email: email ?? null,
        passwordHash,
        roles: held,
      });
      await event(tx, who, 'user.create', {
        entity: 'User',
        id: user.id,
        version: user.version,
        data: { username: name, roles: held },
      });
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
    async run(who, { id, expectedVersion, ...change }, tx) {
      await accountStatus.lockStatusChanges(tx, who.tenant);
      const before = await lockAt(tx, who.tenant, { id, expectedVersion });
      const user = await store.update(tx, who.tenant, id, profileOf(before, change));
      await accountStatus.requireAnAdministrator(tx, who.tenant, [before]);
      if (accountStatus.losesRole(before, user)) await accountStatus.denyLiveTokens(tx, who.tenant, [id]);
      const data = { fields: Object.keys(change), roles: user.roles, formerRoles: before.roles };
      await event(tx, who, 'user.update', { entity: 'User', id, version: user.version, data });
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
    async run(who, { id, expectedVersion }, tx) {
      await accountStatus.lockStatusChanges(tx, who.tenant);
      const before = await lockAt(tx, who.tenant, { id, expectedVersion });
      if (!before.active) throw new Fault('RES_CONFLICT', 'The user is already deactivated.', { state: 'deactivated' });
      return accountStatus.deactivate(tx, who, before);
    },
  }),

  reactivate: operation({
    name: 'user.reactivate',
    kind: 'write',
    scope: ADMIN,
    input: versioned,
    raises: CHANGE_RAISES,
    example: { id: exampleId('User'), expectedVersion: 1 },
    async run(who, { id, expectedVersion }, tx) {
      const before = await lockAt(tx, who.tenant, { id, expectedVersion });
      if (before.active) throw new Fault('RES_CONFLICT', 'The user is active.', { state: 'active' });
      return accountStatus.reactivate(tx, who, id);
    },
  }),
});

export type Users = ReturnType<typeof createUsers>;
