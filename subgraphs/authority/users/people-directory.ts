import type { PeopleDirectory } from '@landfall/kernel/module';
import { ROLES, scopesOfRole } from '../protocol/scopes.ts';
import { listActive, listActiveByIds, listTenants } from './users.store.ts';

const rolesWith = (scope: string): readonly string[] =>
  ROLES.filter((role) => scopesOfRole(role).some((each) => each === scope));

/** Active people for other modules, in every role: it reads the tables on the connection of its caller. */
export const peopleDirectory: PeopleDirectory = {
  roles: ROLES,
  listTenants: async (query) => (await listTenants(query)).map(({ tenant }) => tenant),
  async listActive(query, tenant, { ids = [], roles = [], scope, limit }) {
    const wanted = [...roles, ...(scope === undefined ? [] : rolesWith(scope))];
    const found = await listActive(query, tenant, ids, wanted, limit);
    return found.map(({ id, displayName }) => ({ id, name: displayName }));
  },
  listActiveByIds: async (query, tenant, ids) =>
    (await listActiveByIds(query, tenant, ids)).map(({ id, displayName }) => ({ id, name: displayName })),
};
