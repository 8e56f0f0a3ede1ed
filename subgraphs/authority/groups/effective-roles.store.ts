import type { TenantId } from '@landfall/kernel/core/ids';
import { id } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const people = table('authority.users ids', { id: id('User') });

/** Locks people in the order of their ids, so that concurrent changes of two groups wait for each other. */
export const lock = (tx: Tx, tenant: TenantId, userIds: readonly string[]) =>
  people.listWhere(tx, 'lockMany', sql`tenant = ${tenant} and id = any(${userIds}::uuid[]) order by id for update`);

/** Updates the union of the roles of each person's groups. Returns the changed people. */
export const refresh = (tx: Tx, tenant: TenantId, userIds: readonly string[]) =>
  tx.list(
    people,
    sql`/* authority.users.refreshGroupRoles */
    with brought as (
      select person.id, coalesce(array_agg(distinct role order by role) filter (where role is not null), '{}') as roles
      from unnest(${userIds}::uuid[]) person (id)
      left join authority.group_members member on member.tenant = ${tenant} and member.user_id = person.id
      left join authority.groups g on g.tenant = member.tenant and g.id = member.group_id
      left join unnest(g.roles) role on true
      group by person.id
    )
    update authority.users u set group_roles = brought.roles, version = u.version + 1
    from brought
    where u.tenant = ${tenant} and u.id = brought.id and u.group_roles is distinct from brought.roles
    returning ${people.of('u')}`,
  );
