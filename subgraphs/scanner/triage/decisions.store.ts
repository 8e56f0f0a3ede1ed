import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bigint, id, instant, integer, oneOf, tenantId, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { JUSTIFICATIONS, SUPPRESSING, TRIAGE_SCOPES, TRIAGE_STATUSES } from './decision.ts';

const columns = {
  id: id('TriageDecision'),
  scope: oneOf(...TRIAGE_SCOPES),
  componentKey: text.nullable(),
  productId: id('Product').nullable(),
  /** Id by which the vulnerability was named. */
  vulnerabilityId: text,
  aliasGroup: bigint,
  status: oneOf(...TRIAGE_STATUSES),
  justification: oneOf(...JUSTIFICATIONS).nullable(),
  impactStatement: text.nullable(),
  reason: text,
  expiresAt: instant.nullable(),
  decidedBy: text,
  decidedAt: instant,
  revokedBy: text.nullable(),
  revokedAt: instant.nullable(),
  revocationReason: text.nullable(),
  supersededBy: uuid.nullable(),
  supersededAt: instant.nullable(),
  /** Time at which the expiry was recorded. */
  expiredAt: instant.nullable(),
  version: integer,
} as const;

export const decisions = table('scanner.triage_decisions', columns, { noun: 'triage decision' });
const found = table('scanner.triage_decisions.finding', { ...columns, findingId: text });
const due = table('scanner.triage_decisions due', { tenant: tenantId });

/** Decision about the findings of a vulnerability. */
export type TriageDecision = RowOf<typeof decisions>;

export const { get, getLocked, insertIfAbsent, update } = decisions;

const OPEN = sql`revoked_at is null and superseded_at is null and expired_at is null`;

interface DecisionKey extends Pick<TriageDecision, 'scope' | 'componentKey' | 'productId'> {
  /** The alias group and those that were joined to it. */
  readonly aliasGroups: readonly bigint[];
}

/** Decisions of one scope about one vulnerability that have not ended, locked. */
export const listOpenLocked = (
  tx: Tx,
  tenant: TenantId,
  { scope, componentKey, productId, aliasGroups }: DecisionKey,
): Promise<TriageDecision[]> =>
  decisions.listWhere(
    tx,
    'listOpenLocked',
    sql`tenant = ${tenant} and alias_group = any(${aliasGroups.map(String)}::bigint[]) and scope = ${scope}
        and component_key is not distinct from ${componentKey}::text
        and product_id is not distinct from ${productId}::uuid and ${OPEN}
      order by id for update`,
  );

interface Filter {
  /** The alias groups of a vulnerability; undefined for every one. */
  readonly aliasGroups: readonly bigint[] | undefined;
  readonly isInForce: boolean | undefined;
}

/** Decisions, the newest first. `after` is the last id of the previous page. */
export const list = (
  query: Query,
  tenant: TenantId,
  { aliasGroups, isInForce }: Filter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<TriageDecision[]> =>
  decisions.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
        and (${aliasGroups?.map(String) ?? null}::bigint[] is null or alias_group = any(${aliasGroups?.map(String) ?? null}::bigint[]))
        and (${isInForce ?? null}::boolean is null
          or (${OPEN} and (expires_at is null or expires_at > kernel.now())) = ${isInForce ?? null}::boolean)
        and (${after ?? null}::uuid is null or id < ${after ?? null}::uuid)
      order by id desc limit ${limit}`,
  );

/** Whether a decision of scope `product` is in force. */
export const hasProductDecisions = (query: Query, tenant: TenantId): Promise<boolean> =>
  decisions.existsWhere(query, 'hasProducts', sql`tenant = ${tenant} and scope = 'product' and ${OPEN}`);

/** Tenants with a decision whose expiry is due. Role `landfall_system`. */
export const listDueTenants = async (query: Query): Promise<TenantId[]> => {
  const rows = await query.list(
    due,
    sql`/* scanner.triage_decisions.listDueTenants */
    select distinct tenant from scanner.triage_decisions where expires_at <= kernel.now() and ${OPEN} order by tenant`,
  );
  return rows.map(({ tenant }) => tenant);
};

/** Records the expiry of decisions that no other process is recording, the oldest first. */
export const expireDue = (tx: Tx, tenant: TenantId, limit: number): Promise<TriageDecision[]> =>
  tx.list(
    decisions,
    sql`/* scanner.triage_decisions.expireDue */
    update scanner.triage_decisions d set expired_at = kernel.now(), version = version + 1
    where d.tenant = ${tenant} and d.id in (
      select id from scanner.triage_decisions
      where tenant = ${tenant} and expires_at <= kernel.now() and ${OPEN}
      order by expires_at, id limit ${limit} for update skip locked)
    returning ${decisions.columns}`,
  );

/** Decision in force about a finding. */
export type FindingDecision = RowOf<typeof found>;

/** Decisions in force about findings of a scan: of some, or of all. */
export const listOfFindings = (
  query: Query,
  tenant: TenantId,
  {
    scanId,
    findingIds,
    products,
  }: {
    readonly scanId: Id<'Scan'>;
    readonly findingIds?: readonly string[] | undefined;
    readonly products: readonly Id<'Product'>[];
  },
): Promise<FindingDecision[]> =>
  query.list(
    found,
    sql`/* scanner.triage_decisions.listOfFindings */
    select ${decisions.of('d')}, f.finding_id from scanner.findings f
    cross join lateral scanner.triage_decision_of(f.tenant, f.component_key, f.alias_group, ${products}::uuid[]) d
    where f.tenant = ${tenant} and f.scan_id = ${scanId}
      and (${findingIds ?? null}::text[] is null or f.finding_id = any(${findingIds ?? null}::text[]))`,
  );

/** Component and vulnerability of a finding that need not be stored. */
export interface TriageSubject {
  readonly findingId: string;
  readonly componentKey: string;
  readonly aliasGroup: bigint;
}

const suppressed = table('scanner.triage_decisions suppressed', { findingId: text });

/** Ids of those findings that a decision in force suppresses. */
export const listSuppressed = (
  query: Query,
  tenant: TenantId,
  subjects: readonly TriageSubject[],
  products: readonly Id<'Product'>[],
) =>
  query.list(
    suppressed,
    sql`/* scanner.triage_decisions.listSuppressed */
    select given.finding_id from unnest(${subjects.map(({ findingId }) => findingId)}::text[],
      ${subjects.map(({ componentKey }) => componentKey)}::text[],
      ${subjects.map(({ aliasGroup }) => String(aliasGroup))}::bigint[]) as given (finding_id, component_key, alias_group)
    cross join lateral scanner.triage_decision_of(${tenant}, given.component_key, given.alias_group, ${products}::uuid[]) d
    where d.status = any(${SUPPRESSING}::text[])`,
  );
