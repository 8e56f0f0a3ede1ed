import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { fromNow } from '@landfall/kernel/db/sql';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { atVersion, versionedInput } from '../protocol/expected-version.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { endSignInsOfUser } from '../revocation/revocation.ts';
import * as store from './account-links.store.ts';
import { userEvent } from './user-events.ts';
import * as users from './users.store.ts';
import { email, insertUser, roles, username } from './users.ts';

export const { consume: consumeLink, findAnywhere: findLink, prune: pruneLinks, removeOfUser: removeLinks } = store;
export type { AccountLink } from './account-links.store.ts';

/** Person and the link to choose a password, shown once. */
export interface UserWithLink {
  readonly user: users.User;
  readonly link: string;
  readonly expiresAt: Date;
}

const ADMIN = ['authority:admin'];
const DAY_MS = 86_400_000;
/** Lifetime of a link by purpose. */
const LINK_LIFETIME_MS = { invitation: 7 * DAY_MS, reset: 3_600_000 } as const;

const inviteInput = Type.Object({ username, displayName: freeText(200), email: Type.Optional(email), roles });

/** Deletes all second factors and passkeys of a person. */
export type ClearFactors = (tx: Tx, tenant: TenantId, userId: users.UserId) => Promise<void>;

const refuseInactive = ({ active }: users.User): void => {
  if (!active)
    throw new Fault('RES_CONFLICT', 'The user is deactivated; reactivate them first.', { state: 'deactivated' });
};

export const linkAddress = (issuer: string, token: string): string => `${issuer}/account-link?token=${token}`;

/** Issues a link to choose a password; earlier ones end. */
export const issueLink = async (
  tx: Tx,
  { tenant }: Pick<Who, 'tenant'>,
  userId: users.UserId,
  purpose: store.AccountLink['purpose'],
): Promise<{ readonly token: string; readonly expiresAt: Date }> => {
  const { value: token, hash } = newOpaqueSecret();
  await store.removeOfUser(tx, tenant, userId);
  const link = { hash, userId, purpose, expiresAt: fromNow(LINK_LIFETIME_MS[purpose]) };
  return { token, expiresAt: (await store.insert(tx, tenant, link)).expiresAt };
};

/** Operations that issue links: invitation and reset. */
export const createLinks = (
  { operation, ids, clearFactors }: Pick<Deps, 'operation' | 'ids'> & { readonly clearFactors: ClearFactors },
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
      async run(caller, { username: name, displayName, email: address, roles: granted }, tx): Promise<UserWithLink> {
        const row = { id: toId(ids.uuid(), 'User'), username: name, displayName, email: address ?? null };
        const user = await insertUser(tx, caller.tenant, { ...row, passwordHash: null, roles: granted });
        await userEvent(tx, caller, 'user.invite', user, { username: name, roles: granted });
        return issue(tx, caller.tenant, user, 'invitation');
      },
    }),

    /** Resets the sign-in of a person: ends passwords, factors, sessions and tokens; only the new link works. */
    reset: operation({
      name: 'user.reset',
      kind: 'write',
      scope: ADMIN,
      input: versionedInput('User'),
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
      example: { id: exampleId('User'), expectedVersion: 1 },
      async run(caller, { id, expectedVersion }, tx): Promise<UserWithLink> {
        refuseInactive(atVersion('user', await users.getLocked(tx, caller.tenant, id), expectedVersion));
        const changed = await users.update(tx, caller.tenant, id, { passwordHash: null });
        await clearFactors(tx, caller.tenant, id);
        await endSignInsOfUser(tx, caller.tenant, id);
        await userEvent(tx, caller, 'user.reset', changed);
        return issue(tx, caller.tenant, changed, 'reset');
      },
    }),
  };
};
