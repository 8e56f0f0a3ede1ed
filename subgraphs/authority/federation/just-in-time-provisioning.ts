import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText, parser } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { rewriteGroupRoles } from '../groups/effective-roles.ts';
import * as groups from '../groups/groups.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import { lockStatusChanges } from '../users/account-status.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import * as domains from './domains.store.ts';
import * as identities from './external-identities.store.ts';
import type { ProviderClaims } from './provider-claims.ts';
import type { Provider } from './providers.store.ts';

export const { removeLinksOfPerson } = identities;

/** Reasons to refuse a person whom a provider identified. */
export type ProvisioningRefusal = 'unknown' | 'has-password' | 'no-username' | 'foreign-domain' | 'taken' | 'stopped';

type ProvisioningResult = { readonly userId: users.UserId } | { readonly refusal: ProvisioningRefusal };

const readNew = parser(
  Type.Object({
    username: users.username,
    displayName: freeText(200),
    email: Type.Optional(users.email),
  }),
);

const isFault = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Fault && codes.some((code) => error.code.startsWith(code));

/** Whether a provider may state a user name: of a domain its tenant has proven, or without a domain. */
const mayName = (domains: readonly string[], name: string): boolean => {
  const at = name.lastIndexOf('@');
  return at < 0 || domains.includes(name.slice(at + 1));
};

interface ProviderSignIn {
  readonly provider: Provider;
  readonly vouched: ProviderClaims;
  readonly requestId: string;
}

/** Creates people who sign in through a provider and replaces their memberships by its groups. */
export const createProvisioning = ({ database, ids }: Pick<Deps, 'database' | 'ids'>) => {
  const create = async (tx: Tx, { provider, vouched: assertedClaims, requestId }: ProviderSignIn, name: string) => {
    const { tenant } = provider;
    const profile = readNew({
      username: name,
      displayName: assertedClaims.displayName ?? name,
      ...(assertedClaims.email !== undefined && { email: assertedClaims.email }),
    });
    const id = toId(ids.uuid(), 'User');
    const row = { id, ...profile, email: profile.email ?? null, passwordHash: null, roles: [] };
    const user = await users.insertUser(tx, tenant, row);
    const caller = auditActor(tenant, id, 'user', { requestId });
    await userEvent(tx, caller, 'user.create', user, { username: name, identityProvider: provider.id });
    return id;
  };

  /** Links or creates the person whom a provider names for the first time. */
  const introduce = async (tx: Tx, signIn: ProviderSignIn): Promise<ProvisioningResult> => {
    const { provider, vouched: assertedClaims } = signIn;
    const { username: name } = assertedClaims;
    if (name === undefined) return { refusal: 'no-username' };
    if (!mayName(await domains.listProven(tx, provider.tenant, provider.id), name))
      return { refusal: 'foreign-domain' };
    const known = await identities.findCandidate(tx, provider.tenant, name, provider.id);
    if (!known && !provider.createsUsers) return { refusal: 'unknown' };
    // A person with a password is never taken over by another subject that a provider gives the same name.
    if (known && (known.hasPassword || known.isLinked || !known.isProvisioned)) return { refusal: 'has-password' };
    if (known && !(await users.lockActive(tx, provider.tenant, known.id))) return { refusal: 'stopped' };
    const userId = known?.id ?? (await create(tx, signIn, name));
    await identities.insert(tx, provider.tenant, { providerId: provider.id, subject: assertedClaims.subject, userId });
    return { userId };
  };

  /** Restores the memberships that a provider ended where the tenant would be left without an administrator. */
  const preserveLastAdministrator = async (
    tx: Tx,
    { tenant, id: source }: Provider,
    usersWithFewerRoles: readonly users.User[],
    completed: readonly groups.GroupId[],
  ): Promise<void> => {
    const last = usersWithFewerRoles.find((user) => user.active && users.effectiveRoles(user).includes('admin'));
    if (!last || (await users.hasActiveWithRole(tx, tenant, 'admin'))) return;
    const adminGroups = (await groups.listByIds(tx, tenant, completed)).filter(({ roles }) => roles.includes('admin'));
    for (const { id } of adminGroups) await groups.insertMembers(tx, tenant, { id, source }, [last.id]);
    await rewriteGroupRoles(tx, tenant, [last.id]);
  };

  /** Replaces the memberships by this provider in the groups it may fill; other groups are ignored. */
  const syncGroups = async (
    tx: Tx,
    { provider, vouched: assertedClaims }: ProviderSignIn,
    userId: users.UserId,
  ): Promise<void> => {
    const { tenant, id: source } = provider;
    const named = await groups.lockNamedGroups(tx, tenant, source, assertedClaims.groups);
    const retained = named.map(({ id }) => id);
    const before = (await groups.listOfUserBySource(tx, tenant, { userId, source })).map(({ groupId }) => groupId);
    const completed = await groups.removeOfSource(tx, tenant, { userId, source }, retained);
    const started = await Promise.all(retained.map((id) => groups.insertMembers(tx, tenant, { id, source }, [userId])));
    if (completed === 0 && started.every((count) => count === 0)) return;
    const usersWithFewerRoles = await rewriteGroupRoles(tx, tenant, [userId]);
    const remaining = before.filter((id) => !retained.includes(id));
    await preserveLastAdministrator(tx, provider, usersWithFewerRoles, remaining);
  };

  const provision = async (tx: Tx, signIn: ProviderSignIn): Promise<ProvisioningResult> => {
    const { provider, vouched: assertedClaims, requestId } = signIn;
    const { tenant } = provider;
    const subject = { providerId: provider.id, subject: assertedClaims.subject };
    await lockStatusChanges(tx, tenant);
    const linked = await identities.find(tx, tenant, subject);
    const provisioned: ProvisioningResult = linked ? { userId: linked.userId } : await introduce(tx, signIn);
    if ('refusal' in provisioned) return provisioned;
    if (!(await users.lockActive(tx, tenant, provisioned.userId))) return { refusal: 'stopped' };
    await identities.see(tx, tenant, subject);
    await syncGroups(tx, signIn, provisioned.userId);
    const user = await users.find(tx, tenant, provisioned.userId);
    const caller = auditActor(tenant, provisioned.userId, 'user', { requestId });
    const data = { identityProvider: provider.id, isNew: !linked, groupRoles: user?.groupRoles ?? [] };
    await userEvent(tx, caller, 'user.vouch', user ?? { id: provisioned.userId }, data);
    return provisioned;
  };

  /** Runs the sign-in in one transaction. */
  return async (signIn: ProviderSignIn): Promise<ProvisioningResult> => {
    try {
      return await onConflict(
        database.write(signIn.provider.tenant, (tx) => provision(tx, signIn)),
        'external_identities_user',
        () => new Fault('RES_CONFLICT', 'linked meanwhile'),
      );
    } catch (error) {
      if (isFault(error, 'RES_ALREADY_EXISTS', 'RES_CONFLICT')) return { refusal: 'taken' };
      if (isFault(error, 'VAL_')) return { refusal: 'no-username' };
      throw error;
    }
  };
};
