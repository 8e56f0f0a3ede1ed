import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { removeLinksOfPerson } from '../federation/just-in-time-provisioning.ts';
import { refreshGroupRoles } from '../groups/effective-roles.ts';
import { groupsOfUsers, removeOfSource } from '../groups/groups.ts';
import { endSignInsOfUser } from '../revocation/revocation.ts';
import { removeLinks } from '../users/account-links.ts';
import * as accountStatus from '../users/account-status.ts';
import { hashPassword } from '../users/passwords.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import { userType } from './attributes.ts';
import { type ExistingPerson, isManagedBy, refuseTakeover } from './directory-permissions.ts';
import { refuseOther } from './entity-tag.ts';
import { type PatchOperation, patched, readOperations } from './patch.ts';
import * as store from './people.store.ts';
import { type Links, type PersonData, personResource, readPassword, readPerson } from './person-resource.ts';
import { type Resource, readResource } from './resource.ts';
import { searchFor } from './search.ts';

export const SCIM_SCOPES = ['authority:scim', 'authority:admin'];

/** Query parameters of RFC 7644 3.4.2. */
export const questionFields = {
  filter: Type.Optional(Type.String({ maxLength: 10_000 })),
  startIndex: Type.Optional(Type.Integer()),
  count: Type.Optional(Type.Integer()),
  sortBy: Type.Optional(Type.String({ maxLength: 500 })),
  sortOrder: Type.Optional(Type.String({ maxLength: 20 })),
};

export const bodyFields = { body: Type.Unknown(), ifMatch: Type.Optional(Type.String({ maxLength: 1_000 })) };

/** Page of RFC 7644 3.4.2. */
export interface SearchPage {
  readonly total: number;
  readonly startIndex: number;
  readonly resources: readonly Resource[];
}

export interface Versioned {
  readonly resource: Resource;
  readonly version: number;
}

/** Password of a body; in a PATCH the last one counts. */
const passwordIn = (body: unknown): unknown => {
  const input = Object.entries(Object(body)).find(([name]) => name.toLowerCase() === 'password');
  return input?.[1];
};

const passwordInPatch = (operations: readonly PatchOperation[]): unknown =>
  operations.reduce<unknown>((last, { path, value }) => {
    const isPath = path !== undefined && /(^|:)password$/i.test(path);
    return (isPath ? value : path === undefined ? passwordIn(value) : undefined) ?? last;
  }, undefined);

/** Password set by a directory, with its hash. */
interface Chosen {
  readonly password: string;
  readonly hash: string;
}

const chosenIn = async (value: unknown): Promise<Chosen | undefined> => {
  if (value === undefined || value === null) return undefined;
  const password = readPassword(value, '');
  return { password, hash: await hashPassword(password) };
};

/** Hash of a password that fits the user name. */
const hashFor = (selection: Chosen | undefined, username: string): string | null => {
  if (selection) readPassword(selection.password, username);
  return selection?.hash ?? null;
};

const notFound = (id: string): Fault => new Fault('RES_NOT_FOUND', `There is no user ${id}.`);

const duplicateName = (username: string) => (): Fault =>
  new Fault('RES_ALREADY_EXISTS', `The user name ${username} is taken.`, { username });

const viewOf = async (query: Query, tenant: TenantId, person: store.ScimPerson, links: Links): Promise<Versioned> => {
  const groupsOf = await groupsOfUsers(query, tenant, [person.id]);
  return { resource: personResource(person, groupsOf(person.id), links), version: person.version };
};

const viewOfId = async (query: Query, tenant: TenantId, id: users.UserId, links: Links): Promise<Versioned> => {
  const person = await store.find(query, tenant, id);
  if (!person) throw notFound(id);
  return viewOf(query, tenant, person, links);
};

/** Locks the person, as the directory sees them. */
const lockPerson = async (tx: Tx, tenant: TenantId, id: users.UserId, ifMatch: string | undefined) => {
  await accountStatus.lockStatusChanges(tx, tenant);
  const user = await users.findLocked(tx, tenant, id);
  const person = user && (await store.find(tx, tenant, id));
  if (!person) throw notFound(id);
  refuseOther(ifMatch, person.version);
  return { user, person, isProvisioned: person.isProvisioned };
};

const scimEvent = (tx: Tx, caller: Who, type: string, user: users.User, data: Readonly<Record<string, unknown>>) =>
  userEvent(tx, caller, type, user, { ...data, by: 'scim' });

/** Activates or deactivates a person like an administrator does. Comes last: no event follows a deactivation. */
const setActive = async (tx: Tx, caller: Who, before: users.User, active: boolean | undefined): Promise<void> => {
  if (active === undefined || active === before.active) return;
  if (active) await accountStatus.reactivate(tx, caller, before.id);
  else await accountStatus.deactivate(tx, caller, before);
};

/** Data of a person from a directory, and the password it sets. */
interface PersonChange {
  readonly data: PersonData;
  readonly chosen: Chosen | undefined;
}

const write = async (
  tx: Tx,
  caller: Who,
  known: ExistingPerson,
  { data, chosen: selected }: PersonChange,
): Promise<void> => {
  const { user: before } = known;
  const { tenant } = caller;
  const { username } = data.profile;
  refuseTakeover(caller, known, { ...data.profile, isNewPassword: selected !== undefined, active: data.active });
  const passwordHash = hashFor(selected, username);
  await onConflict(
    store.updateProfile(tx, tenant, before.id, { ...data.profile, passwordHash }),
    'users_username',
    duplicateName(username),
  );
  await store.keep(tx, tenant, before.id, { ...data.kept, isProvisioned: false });
  if (passwordHash !== null) {
    await endSignInsOfUser(tx, tenant, before.id);
    await removeLinks(tx, tenant, before.id);
  }
  const user = { ...before, version: before.version + 1 };
  await scimEvent(tx, caller, 'user.update', user, { username, password: passwordHash !== null });
  await setActive(tx, caller, user, data.active);
};

/** Frees the name of a deleted person whom the caller manages. */
const freeName = async (tx: Tx, caller: Who, username: string): Promise<void> => {
  const { tenant } = caller;
  const former = await store.findDeleted(tx, tenant, username);
  const user = former && (await users.findLocked(tx, tenant, former.id));
  if (user && isManagedBy(caller, { user, isProvisioned: former.isProvisioned }))
    await store.freeUsername(tx, tenant, former.id);
};

export const CHANGE_RAISES = [
  'RES_NOT_FOUND',
  'RES_ALREADY_EXISTS',
  'RES_VERSION_CONFLICT',
  'RES_CONFLICT',
  'PERM_ACTION_DENIED',
] as const;

/** SCIM users: all people of the tenant. */
export const createPeople = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>, links: Links) => ({
  list: operation({
    name: 'scim.user.list',
    kind: 'read',
    scope: SCIM_SCOPES,
    input: Type.Object(questionFields),
    example: { filter: 'active eq true' },
    async run({ tenant }, asked, query): Promise<SearchPage> {
      const search = searchFor(userType, asked);
      const rows = search.limit === 0 ? [] : await store.list(query, tenant, search);
      const total = rows[0]?.total ?? (await store.countAll(query, tenant, search));
      const groupsOf = await groupsOfUsers(
        query,
        tenant,
        rows.map(({ id }) => id),
      );
      const resources = rows.map((person) => personResource(person, groupsOf(person.id), links));
      return { total, startIndex: search.offset + 1, resources };
    },
  }),

  find: operation({
    name: 'scim.user.find',
    kind: 'read',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('User') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('User') },
    run: ({ tenant }, { id }, query) => viewOfId(query, tenant, id, links),
  }),

  create: operation({
    name: 'scim.user.create',
    cost: 0,
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object(bodyFields),
    raises: ['RES_ALREADY_EXISTS'],
    example: { body: { schemas: [userType.core.id], userName: 'ada' } },
    prepare: (_who, { body }) => chosenIn(passwordIn(body)),
    async run(caller, { body }, tx, selected) {
      const { tenant } = caller;
      const { profile, kept, active } = readPerson(readResource(userType, body));
      const passwordHash = hashFor(selected, profile.username);
      await accountStatus.lockStatusChanges(tx, tenant);
      await freeName(tx, caller, profile.username);
      const id = toId(ids.uuid(), 'User');
      const user = await users.insertUser(tx, tenant, { id, ...profile, passwordHash, roles: [] });
      await store.keep(tx, tenant, id, { ...kept, isProvisioned: true });
      await scimEvent(tx, caller, 'user.create', user, { username: profile.username });
      await setActive(tx, caller, user, active);
      return viewOfId(tx, tenant, id, links);
    },
  }),

  replace: operation({
    name: 'scim.user.replace',
    cost: 0,
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('User'), ...bodyFields }),
    raises: CHANGE_RAISES,
    example: { id: exampleId('User'), body: { schemas: [userType.core.id], userName: 'ada' } },
    prepare: (_who, { body }) => chosenIn(passwordIn(body)),
    async run(caller, { id, body, ifMatch }, tx, selected) {
      const known = await lockPerson(tx, caller.tenant, id, ifMatch);
      await write(tx, caller, known, { data: readPerson(readResource(userType, body)), chosen: selected });
      return viewOfId(tx, caller.tenant, id, links);
    },
  }),

  patch: operation({
    name: 'scim.user.patch',
    cost: 0,
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('User'), ...bodyFields }),
    raises: CHANGE_RAISES,
    example: { id: exampleId('User'), body: { Operations: [{ op: 'replace', path: 'active', value: true }] } },
    prepare: async (_who, { body }) => {
      const operations = readOperations(body);
      return { operations, chosen: await chosenIn(passwordInPatch(operations)) };
    },
    async run(caller, { id, ifMatch }, tx, { operations, chosen: selected }) {
      const known = await lockPerson(tx, caller.tenant, id, ifMatch);
      const after = patched(userType, personResource(known.person, [], links), operations);
      await write(tx, caller, known, { data: readPerson(after), chosen: selected });
      return viewOfId(tx, caller.tenant, id, links);
    },
  }),

  remove: operation({
    name: 'scim.user.remove',
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('User'), ifMatch: bodyFields.ifMatch }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: { id: exampleId('User') },
    /**
     * Deactivates a person. A person whom the directory created leaves every group and frees the name. Other people
     * keep the name and memberships by other sources, and can be reactivated.
     */
    async run(caller, { id, ifMatch }, tx) {
      const { tenant } = caller;
      const known = await lockPerson(tx, tenant, id, ifMatch);
      const { user } = known;
      const { username } = user;
      const isOwn = isManagedBy(caller, known);
      if (isOwn) await store.leaveGroups(tx, tenant, id);
      else await removeOfSource(tx, tenant, { userId: id, source: 'scim' }, []);
      await refreshGroupRoles(tx, tenant, [id]);
      await store.markDeleted(tx, tenant, id);
      if (isOwn) await removeLinksOfPerson(tx, tenant, id);
      const after = (await users.find(tx, tenant, id)) ?? user;
      await (isOwn
        ? scimEvent(tx, caller, 'user.delete', after, { username })
        : scimEvent(tx, caller, 'user.update', after, { username, isInDirectory: false }));
      await setActive(tx, caller, after, false);
    },
  }),
});
