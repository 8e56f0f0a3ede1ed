import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { Rule } from './rule.ts';

export type RuleId = Id<'NotificationRule'>;

/** Parts of a rule that are stored as one document. */
export type RuleDefinition = Pick<Rule, 'matchers' | 'continues' | 'actions'>;

// Only the operations write these documents, which checked them.
const definition = json(Type.Unsafe<RuleDefinition>(Type.Object({})));
const wholeRules = json(Type.Unsafe<readonly Rule[]>(Type.Array(Type.Object({}))));

const rules = table(
  'notify.rules',
  {
    id: id('NotificationRule'),
    name: text,
    isEnabled: boolean,
    priority: integer,
    definition,
    createdBy: text,
    createdAt: instant,
    updatedAt: instant,
    version: integer,
  },
  { noun: 'notification rule', live: sql`removed_at is null`, writes: { removedAt: instant.nullable() } },
);

/** Rule as it is stored. */
export type StoredRule = RowOf<typeof rules>;

export const { get, getLocked, insertIfAbsent, listByIds, update } = rules;

/** Rules of a tenant in the order in which they are tried. */
export const list = (query: Query, tenant: TenantId): Promise<StoredRule[]> =>
  rules.listWhere(query, 'list', sql`tenant = ${tenant} and removed_at is null order by priority, id`);

/** A stored rule in the form of the rule set. */
export const ruleOf = ({ id: ruleId, name, isEnabled, priority, definition: parts }: StoredRule): Rule => ({
  id: ruleId,
  name,
  isEnabled,
  priority,
  ...parts,
});

const ruleSets = table('notify.rule_sets', { tenant: tenantId, version: integer, rules: wholeRules });

/** Rules of a tenant that were in force together. */
export type StoredRuleSet = RowOf<typeof ruleSets>;

/** Serialises changes of a tenant's rules until the transaction ends. */
export const lockRuleSets = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(
    sql`/* notify.rule_sets.lock */ select pg_advisory_xact_lock(hashtextextended('notify.rule_sets ' || ${tenant}, 0))`,
  );

/** Whether a tenant ever had a rule. */
export const hasRuleSet = (query: Query, tenant: TenantId): Promise<boolean> =>
  ruleSets.existsWhere(query, 'exists', sql`tenant = ${tenant}`);

const tenantsWithout = table('notify.rule_sets.tenantsWithout', { tenant: tenantId });

/** Tenants among some that never had a rule. Role `landfall_system`. */
export const listWithoutRuleSet = async (query: Query, tenants: readonly TenantId[]): Promise<TenantId[]> => {
  const rows = await query.list(
    tenantsWithout,
    sql`/* notify.rule_sets.listTenantsWithout */
    select wanted.tenant from unnest(${tenants}::text[]) as wanted (tenant)
    where not exists (select from notify.rule_sets s where s.tenant = wanted.tenant)`,
  );
  return rows.map(({ tenant }) => tenant);
};

/** Puts the rules of this moment in force as the next version. One transaction at a time for each tenant. */
export const publish = async (tx: Tx, tenant: TenantId): Promise<void> => {
  await lockRuleSets(tx, tenant);
  const current = (await list(tx, tenant)).map(ruleOf);
  await tx.run(sql`/* notify.rule_sets.publish */
    insert into notify.rule_sets (tenant, version, rules)
    select ${tenant}, coalesce(max(version), 0) + 1, ${jsonb(current)}::jsonb from notify.rule_sets where tenant = ${tenant}`);
};

/** Newest rule set of each of some tenants. Role `landfall_system`. */
export const listNewest = (query: Query, tenants: readonly TenantId[]): Promise<StoredRuleSet[]> =>
  query.list(
    ruleSets,
    sql`/* notify.rule_sets.listNewest */
    select s.tenant, s.version, s.rules
    from unnest(${tenants}::text[]) as wanted (tenant)
    cross join lateral (
      select tenant, version, rules from notify.rule_sets where tenant = wanted.tenant order by version desc limit 1
    ) s`,
  );

/** A rule set by its version. */
export const findRuleSet = (query: Query, tenant: TenantId, version: number): Promise<StoredRuleSet | undefined> =>
  ruleSets.findWhere(query, 'find', sql`tenant = ${tenant} and version = ${version}`);

/** Deletes rule sets that were replaced longer ago than events are kept. Role `landfall_system`. */
export const removeReplaced = (tx: Tx, olderThanDays: number): Promise<number> =>
  tx.run(sql`/* notify.rule_sets.removeReplaced */
    delete from notify.rule_sets s
    where exists (
      select from notify.rule_sets newer
      where newer.tenant = s.tenant and newer.version = s.version + 1
        and newer.created_at < kernel.now() - make_interval(days => ${olderThanDays}))
      and not exists (select from notify.events e where e.tenant = s.tenant and e.rule_set_version = s.version)
      and not exists (select from notify.waiting_events w where w.tenant = s.tenant and w.rule_set_version = s.version)
      and not exists (select from notify.groups g
        where g.tenant = s.tenant and g.rule_set_version = s.version and g.closed_at is null)`);
