import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import type { Factors } from '../factors/factors.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { AuthoritySettings } from '../settings.ts';
import { endOfUser } from '../sign-in/sessions.store.ts';
import { revokeOfUser } from '../tokens/families.store.ts';
import * as store from './account-links.store.ts';
import * as users from './users.store.ts';
import { email, insertUser, roles, username } from './users.ts';

/** A person and the link by which they choose a password: told once. */
export interface UserWithLink {
  readonly user: users.User;
  readonly link: string;
  readonly expiresAt: Date;
}

const ADMIN = ['authority:admin'];
const DAY_MS = 86_400_000;
/** Life of a link, by what it is for. */
export const LINK_LIFETIME_MS = { invitation: 7 * DAY_MS, reset: 3_600_000 } as const;

const inviteInput = Type.Object({ username, displayName: freeText(200), email: Type.Optional(email), roles });

const resetInput = Type.Object({ id: idOf('User'), expectedVersion: Type.Integer({ minimum: 1 }) });

const lockForReset = async (tx: Tx, tenant: TenantId, id: users.UserId, expected: number): Promise<users.User> => {
  const found = await users.lock(tx, tenant, id);
  if (!found) throw new Fault('RES_NOT_FOUND', `There is no user ${id}.`);
  if (found.version !== expected)
    throw new Fault('RES_VERSION_CONFLICT', 'The user has changed since you looked.', {
      expected,
      actual: found.version,
    });
  if (!found.active)
    throw new Fault('RES_CONFLICT', 'The user is deactivated; reactivate them first.', { state: 'deactivated' });
  return found;
};

/** The address of the page on which a person chooses a password, once. */
export const linkAddress = (issuer: string, token: string): string => `${issuer}/account-link?token=${token}`;

/** A link by which a person chooses a password; those before it end. */
export const issueLink = async (
  tx: Tx,
  { tenant }: Pick<Who, 'tenant'>,
  userId: users.UserId,
  purpose: store.AccountLink['purpose'],
): Promise<{ readonly token: string; readonly expiresAt: Date }> => {
  const { value: token, hash } = newOpaqueSecret();
  await store.removeOfUser(tx, tenant, userId);
  const link = { hash, userId, purpose, aliveMs: LINK_LIFETIME_MS[purpose] };
  return { token, expiresAt: (await store.insert(tx, tenant, link)).expiresAt };
};

/** Invitations and resets: the two ways to a link. */
export const createLinks = (
  { operation, ids, factors }: Pick<Deps, 'operation' | 'ids'> & { readonly factors: Pick<Factors, 'clear'> },
  { issuer }: Pick<AuthoritySettings, 'issuer'>,
) => {
  const issue = async (tx: Tx, tenant: TenantId, user: users.User, purpose: store.AccountLink['purpose']) => {
    const { token, expiresAt } = await issueLink(tx, { tenant }, user.id, purpose);
    return { user, link: linkAddress(issuer, token), expiresAt };
  };

  return {
    invite: operation({
      name: 'user.invite',
      kind: 'write',
      scope: ADMIN,
      input: inviteInput,
      raises: ['RES_ALREADY_EXISTS'],
      example: { username: 'ada', displayName: 'Ada', roles: ['viewer'] },
      async run(who, { username: name, displayName, email: address, roles: held }, tx): Promise<UserWithLink> {
        const user = await insertUser(tx, who.tenant, {
          id: toId(ids.uuid(), 'User'),
          username: name,
          displayName,
          email: address ?? null,
          passwordHash: null,
          roles: held,
        });
        await event(tx, who, 'user.invite', {
          entity: 'User',
          id: user.id,
          version: user.version,
          data: { username: name, roles: held },
        });
        return issue(tx, who.tenant, user, 'invitation');
      },
    }),

    /** Nothing that the person had before signs in or stays signed in: at its commit only the link works. */
    reset: operation({
      name: 'user.reset',
      kind: 'write',
      scope: ADMIN,
      input: resetInput,
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
      example: { id: exampleId('User'), expectedVersion: 1 },
      async run(who, { id, expectedVersion }, tx): Promise<UserWithLink> {
        const found = await lockForReset(tx, who.tenant, id, expectedVersion);
        const version = await store.setHash(tx, who.tenant, id, null);
        await factors.clear(tx, who.tenant, id);
        await endOfUser(tx, who.tenant, id);
        await revokeOfUser(tx, who.tenant, id);
        await event(tx, who, 'user.reset', { entity: 'User', id, version });
        return issue(tx, who.tenant, { ...found, version }, 'reset');
      },
    }),
  };
};

export type Links = ReturnType<typeof createLinks>;
