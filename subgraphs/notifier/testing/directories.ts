import { toTenantId } from '@landfall/kernel/core/ids';
import type { ActivePerson, ApproverDirectory, PeopleDirectory } from '@landfall/kernel/module';

/** Person with roles, as the authority knows them. */
interface Listed extends ActivePerson {
  readonly roles: readonly string[];
  isActive: boolean;
  /** Whether they may approve what is asked about. */
  approves: boolean;
}

/** People of a tenant in place of those of the authority, and approvers in place of the orchestrator's. */
export const createDirectories = () => {
  const all = new Map<string, Listed>();
  const active = (): Listed[] => [...all.values()].filter(({ isActive }) => isActive);
  const people: PeopleDirectory = {
    roles: ['admin', 'approver', 'operator', 'release-manager', 'viewer'],
    listActive: async (_query, tenant, { ids = [], roles = [], scope, limit }) =>
      tenant === 'acme'
        ? active()
            .filter(
              (person) =>
                ids.includes(person.id) ||
                person.roles.some((role) => roles.includes(role) || (scope === 'orch:approve' && role === 'approver')),
            )
            .slice(0, limit)
        : [],
    listTenants: async () => (all.size === 0 ? [] : [toTenantId('acme')]),
    listActiveByIds: async (_query, _tenant, ids) => active().filter(({ id }) => ids.includes(id)),
  };
  const approvers: ApproverDirectory = {
    scope: 'orch:approve',
    filterApprovers: async (_query, _tenant, _promotionId, ids) => ids.filter((id) => all.get(id)?.approves),
  };
  return {
    people,
    approvers,
    add: (id: string, name: string, ...roles: readonly string[]): Listed => {
      const person = { id, name, roles, isActive: true, approves: true };
      all.set(id, person);
      return person;
    },
  };
};
