import { bigint, count, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { SHARED } from './shared-tenant.ts';

const aliases = table('scanner.aliases', { alias: text, aliasGroup: count });
const members = table('scanner.aliases members', { alias: text, aliasGroup: bigint });
const joins = table('scanner.alias_group_joins', { aliasGroup: bigint, older: bigint });
const numbers = table('scanner.aliases numbers', { highest: count });

/** Groups of the ids that are known. */
export const listGroups = (tx: Tx, ids: readonly string[]) =>
  aliases.listWhere(tx, 'listGroups', sql`tenant = ${SHARED} and alias = any(${ids}::text[])`);

/** Highest number of a group, joined ones included; 0 without any. */
export const highestGroup = async (tx: Tx): Promise<number> =>
  (
    await tx.get(
      numbers,
      sql`/* scanner.aliases.highestGroup */
      select greatest(
        (select coalesce(max(alias_group), 0) from scanner.aliases where tenant = ${SHARED}),
        (select coalesce(max(alias_group), 0) from scanner.alias_group_joins where tenant = ${SHARED})) as highest`,
    )
  ).highest;

/** Assigns ids to groups. */
export const assignAll = (tx: Tx, assigned: ReadonlyMap<string, number>): Promise<number> =>
  tx.run(sql`/* scanner.aliases.assignAll */
    insert into scanner.aliases (tenant, alias, alias_group)
    select ${SHARED}, alias, alias_group from unnest(${[...assigned.keys()]}::text[], ${[...assigned.values()]}::bigint[])
      as given (alias, alias_group)
    on conflict (tenant, alias) do update set alias_group = excluded.alias_group`);

/** Joins younger groups to older ones, in everything but frozen findings. */
export const joinAll = async (tx: Tx, joined: ReadonlyMap<number, number>): Promise<void> => {
  if (joined.size === 0) return;
  const [younger, older] = [[...joined.keys()], [...joined.values()]];
  const given = sql`unnest(${younger}::bigint[], ${older}::bigint[]) as given (alias_group, older)`;
  await tx.run(sql`/* scanner.alias_group_joins.joinAll */
    insert into scanner.alias_group_joins (tenant, alias_group, older)
    select ${SHARED}, alias_group, older from ${given}
    on conflict (tenant, alias_group) do update set older = excluded.older`);
  await tx.run(sql`/* scanner.alias_group_joins.shortenAll */
    update scanner.alias_group_joins j set older = given.older from ${given}
    where j.tenant = ${SHARED} and j.older = given.alias_group`);
  await tx.run(sql`/* scanner.aliases.joinAll */
    update scanner.aliases a set alias_group = given.older from ${given}
    where a.tenant = ${SHARED} and a.alias_group = given.alias_group`);
  await tx.run(sql`/* scanner.advisory_packages.joinAll */
    update scanner.advisory_packages p set alias_group = given.older
    from ${given} join scanner.advisories a on a.tenant = ${SHARED} and a.alias_group = given.alias_group
    where p.tenant = ${SHARED} and p.advisory_id = a.id`);
  await tx.run(sql`/* scanner.advisories.joinAll */
    update scanner.advisories a set alias_group = given.older from ${given}
    where a.tenant = ${SHARED} and a.alias_group = given.alias_group`);
};

/** Groups that were joined to older ones, among some. */
export const listJoins = (query: Query, groups: readonly bigint[]) =>
  joins.listWhere(query, 'listJoins', sql`tenant = ${SHARED} and alias_group = any(${groups.map(String)}::bigint[])`);

/** Ids of groups. */
export const listMembers = (query: Query, groups: readonly bigint[]) =>
  query.list(
    members,
    sql`/* scanner.aliases.listMembers */
    select alias, alias_group from scanner.aliases
    where tenant = ${SHARED} and alias_group = any(${groups.map(String)}::bigint[])`,
  );

const others = table('scanner.aliases others', { alias: text });

/** Other ids of the group of an id. */
export const listOthers = (query: Query, id: string) =>
  query.list(
    others,
    sql`/* scanner.aliases.listOthers */
    select o.alias from scanner.aliases a
    join scanner.aliases o on o.tenant = ${SHARED} and o.alias_group = a.alias_group and o.alias <> a.alias
    where a.tenant = ${SHARED} and a.alias = ${id} order by o.alias`,
  );

const groups = table('scanner.aliases groups', { aliasGroup: bigint });

/** Group of an id, followed by the groups that were joined to it. */
export const listGroupsOf = (query: Query, id: string) =>
  query.list(
    groups,
    sql`/* scanner.aliases.listGroupsOf */
    select alias_group from (
      select a.alias_group, 0 as position from scanner.aliases a where a.tenant = ${SHARED} and a.alias = ${id}
      union all
      select j.alias_group, 1 from scanner.aliases a
      join scanner.alias_group_joins j on j.tenant = ${SHARED} and j.older = a.alias_group
      where a.tenant = ${SHARED} and a.alias = ${id}) known
    order by position, alias_group`,
  );
