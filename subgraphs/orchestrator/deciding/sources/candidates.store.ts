import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { policies, type SourcePolicy } from './sources.store.ts';

export type CandidateId = Id<'ReleaseCandidate'>;
export const candidateStates = ['gathering', 'drafted', 'finalized', 'done', 'refused'] as const;

const candidates = table(
  'orchestrator.release_candidates',
  {
    id: id('ReleaseCandidate'),
    productId: id('Product'),
    state: oneOf(...candidateStates),
    policy: oneOf(...policies),
    firstChangeAt: instant,
    /** Time of the next step; null in a final state. */
    dueAt: instant.nullable(),
    /** Attempts in a row at the step that failed. */
    attempts: integer,
    /** Number of times in a row that the set was gathered again because a tag moved or vanished. */
    repeats: integer,
    /** Reason why the last step failed, or why there is no next one. */
    problem: text.nullable(),
    setDigest: text.nullable(),
    releaseId: id('Release').nullable(),
  },
  { noun: 'release candidate' },
);

export const { find, findLocked, remove } = candidates;

/** Set of images on its way to a release. */
export type ReleaseCandidate = RowOf<typeof candidates>;

/** Longest time in debounces that changes which go on delay a release. */
const MAX_DEBOUNCES = 5;

/** Starts to gather a set of a product, or extends the wait if it already gathers. */
export const gather = (
  tx: Tx,
  tenant: TenantId,
  values: {
    readonly id: CandidateId;
    readonly productId: Id<'Product'>;
    readonly policy: SourcePolicy;
    readonly debounceSeconds: number;
    readonly repeats?: number;
  },
) =>
  tx.run(sql`/* orchestrator.release_candidates.gather */
    insert into orchestrator.release_candidates as candidate (tenant, id, product_id, state, policy, repeats, due_at)
    values (${tenant}, ${values.id}, ${values.productId}, 'gathering', ${values.policy}, ${values.repeats ?? 0},
      kernel.now() + make_interval(secs => ${values.debounceSeconds}))
    on conflict (tenant, product_id) where state = 'gathering' do update set
      due_at = least(excluded.due_at,
        candidate.first_change_at + make_interval(secs => ${values.debounceSeconds * MAX_DEBOUNCES}))`);

const due = table('orchestrator.release_candidates.due', { tenant: tenantId, id: id('ReleaseCandidate') });

/**
 * Leases candidates that are due, of all tenants but the busy ones; if the worker dies, they are due again when the lease
 * expires.
 */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number, busy: readonly TenantId[]) =>
  tx.list(
    due,
    sql`/* orchestrator.release_candidates.leaseDue */
    with due as (
      select tenant, id from orchestrator.release_candidates
      where due_at <= kernel.now() and (lease_until is null or lease_until <= kernel.now())
        and tenant <> all(${busy}::text[])
      order by due_at limit ${limit}
      for update skip locked
    )
    update orchestrator.release_candidates as candidate
    set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where candidate.tenant = due.tenant and candidate.id = due.id
    returning candidate.tenant, candidate.id`,
  );

/** Result of a step. The next one is due at once, if there is one. */
interface Transition {
  readonly state: ReleaseCandidate['state'];
  readonly policy: SourcePolicy;
  readonly setDigest: string | null;
  readonly releaseId: Id<'Release'> | null;
  readonly problem?: string | null;
}

/** Records a step of a locked candidate, in the transaction of the step. */
export const advance = (tx: Tx, tenant: TenantId, id: CandidateId, transition: Transition) => {
  const { state, policy, setDigest, releaseId, problem = null } = transition;
  return tx.run(sql`/* orchestrator.release_candidates.advance */
    update orchestrator.release_candidates
    set state = ${state}, policy = ${policy}, set_digest = ${setDigest}, release_id = ${releaseId},
      problem = ${problem}, attempts = 0, lease_until = null,
      due_at = case when ${state} in ('done', 'refused') then null else kernel.now() end
    where tenant = ${tenant} and id = ${id}`);
};

/** Postpones a step that failed: the pause doubles each time, up to five minutes. */
export const postpone = (tx: Tx, tenant: TenantId, id: CandidateId, problem: string) =>
  tx.run(sql`/* orchestrator.release_candidates.postpone */
    update orchestrator.release_candidates
    set due_at = kernel.now() + make_interval(secs => least(300, 2 * power(2, least(attempts, 10)))),
      lease_until = null, attempts = attempts + 1, problem = ${problem}
    where tenant = ${tenant} and id = ${id} and due_at is not null`);

/** Postpones a step that waits for others, which is no attempt at it: by a quarter of the time so far, up to five minutes. */
export const wait = (tx: Tx, tenant: TenantId, id: CandidateId, problem: string) =>
  tx.run(sql`/* orchestrator.release_candidates.wait */
    update orchestrator.release_candidates
    set due_at = kernel.now() + make_interval(secs =>
        least(300, greatest(2, extract(epoch from kernel.now() - first_change_at) / 4))),
      lease_until = null, attempts = 0, problem = ${problem}
    where tenant = ${tenant} and id = ${id} and due_at is not null`);

/** Number of candidates in a final state that are stored for a product. */
const MAX_CANDIDATES = 100;

/** Deletes the candidates that ended beyond the newest of each product, of all tenants. */
export const prune = (tx: Tx): Promise<number> =>
  tx.run(sql`/* orchestrator.release_candidates.prune */
    delete from orchestrator.release_candidates as old
    using (
      select tenant, id, row_number() over (partition by tenant, product_id order by first_change_at desc, id desc) as nth
      from orchestrator.release_candidates where state in ('done', 'refused')
    ) as ranked
    where ranked.nth > ${MAX_CANDIDATES} and old.tenant = ranked.tenant and old.id = ranked.id`);

/** Lists the newest candidate of each of these products. */
export const listNewest = (query: Query, tenant: TenantId, products: readonly Id<'Product'>[]) =>
  candidates.listWhere(
    query,
    'listNewest',
    sql`tenant = ${tenant} and id in (
      select newest.id from unnest(${products}::uuid[]) as product (id)
      cross join lateral (
        select id from orchestrator.release_candidates
        where tenant = ${tenant} and product_id = product.id
        order by first_change_at desc, id desc limit 1) as newest)`,
  );

const sets = table('orchestrator.release_candidates sets', { hasSet: boolean });

/** Whether a product has a release of this set, whoever created it, or a candidate that is on its way to one. */
export const hasSet = async (query: Query, tenant: TenantId, product: Id<'Product'>, set: string): Promise<boolean> =>
  (
    await query.get(
      sets,
      sql`/* orchestrator.release_candidates.hasSet */
      select exists (select from orchestrator.release_candidates
          where tenant = ${tenant} and product_id = ${product} and set_digest = ${set} and state <> 'refused')
        or exists (select from orchestrator.releases
          where tenant = ${tenant} and product_id = ${product} and gated_digest_set = ${set}) as has_set`,
    )
  ).hasSet;

/** Whether a product has a candidate that changed after this one and has a release. */
export const hasNewer = (query: Query, tenant: TenantId, { productId, firstChangeAt, id }: ReleaseCandidate) =>
  candidates.existsWhere(
    query,
    'hasNewer',
    sql`tenant = ${tenant} and product_id = ${productId} and id <> ${id} and release_id is not null
      and state in ('finalized', 'done') and first_change_at > ${firstChangeAt}`,
  );

const drafts = table('orchestrator.release_candidates drafts', { id: id('Release') });

/** Finds the draft of the product's newest refused candidate, which the next one can use. */
export const findUnusedDraft = (query: Query, tenant: TenantId, product: Id<'Product'>) =>
  query.find(
    drafts,
    sql`/* orchestrator.release_candidates.findUnusedDraft */
    select r.id from orchestrator.release_candidates as c
    join orchestrator.releases as r on r.tenant = c.tenant and r.id = c.release_id
    where c.tenant = ${tenant} and c.product_id = ${product} and c.state = 'refused'
      and r.status = 'draft' and r.updated_by = r.created_by
    order by c.first_change_at desc limit 1`,
  );

const versions = table('orchestrator.release_candidates versions', { semver: text });

/** Lists the versions of a product's releases. */
export const listVersions = async (query: Query, tenant: TenantId, product: Id<'Product'>) =>
  (
    await query.list(
      versions,
      sql`/* orchestrator.release_candidates.listVersions */
      select semver from orchestrator.releases where tenant = ${tenant} and product_id = ${product}`,
    )
  ).map(({ semver }) => semver);

const newest = table('orchestrator.release_candidates newest release', { id: id('Release') });

/** Finds the product's newest finalized release, for the components that no source selects. */
export const findNewestRelease = (query: Query, tenant: TenantId, product: Id<'Product'>) =>
  query.find(
    newest,
    sql`/* orchestrator.release_candidates.findNewestRelease */
    select id from orchestrator.releases
    where tenant = ${tenant} and product_id = ${product} and status in ('finalized', 'ready')
    order by id desc limit 1`,
  );

const unchangedDraft = table('orchestrator.release_candidates untouched release', { id: id('Release') });

/** Whether a release is a draft that nobody changed since it was created. */
export const isUntouched = async (query: Query, tenant: TenantId, release: Id<'Release'>): Promise<boolean> =>
  (await query.find(
    unchangedDraft,
    sql`/* orchestrator.release_candidates.isUntouched */
    select id from orchestrator.releases
    where tenant = ${tenant} and id = ${release} and status = 'draft' and updated_by = created_by`,
  )) !== undefined;
