import { holdersOf, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import {
  boolean,
  bytes,
  id,
  instant,
  integer,
  json,
  oneOf,
  tenantId,
  text,
  textArray,
} from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { selection } from './selection.ts';

export type SourceId = Id<'ReleaseSource'>;

/** Policies of a source: the steps that are done with a new set of images, each including those before it. */
export const policies = ['draft', 'finalize', 'request'] as const;
export type SourcePolicy = (typeof policies)[number];
export const versionSchemes = ['image', 'counter'] as const;

const sources = table(
  'orchestrator.release_sources',
  {
    id: id('ReleaseSource'),
    productId: id('Product'),
    component: text,
    repository: text,
    selection: json(selection),
    isEnabled: boolean,
    policy: oneOf(...policies),
    versionScheme: oneOf(...versionSchemes),
    debounceSeconds: integer,
    intervalSeconds: integer,
    /** Sealed; null: no webhook is accepted. */
    webhookSecret: bytes.nullable(),
    nextPollAt: instant.nullable(),
    lastPollAt: instant.nullable(),
    /** Failed polls in a row. */
    failures: integer,
    /** Why the last poll selected nothing, or nothing new. */
    problem: text.nullable(),
    listEtag: text.nullable(),
    listDigest: text.nullable(),
    selectedTag: text.nullable(),
    selectedDigest: text.nullable(),
    /** Semantic version or build number of the selected tag; for a moving tag the version that its image's label states. */
    selectedOrder: text.nullable(),
    selectedAt: instant.nullable(),
    /** People and clients that created or changed the source, and the holders of their tokens. The list only grows. */
    controllers: textArray,
    createdAt: instant,
    version: integer,
  },
  { noun: 'release source', writes: { createdBy: text, updatedBy: text, updatedAt: instant } },
);

export const { find, findLocked, get, getLocked, listByIds, notFound, remove } = sources;

/** Rule for one component of a product, with the state of its polling. */
export type ReleaseSource = RowOf<typeof sources>;

type Settings = Pick<
  ReleaseSource,
  | 'component'
  | 'repository'
  | 'selection'
  | 'isEnabled'
  | 'policy'
  | 'versionScheme'
  | 'debounceSeconds'
  | 'intervalSeconds'
>;

const controllersIn = (caller: Who): readonly string[] => [...new Set([caller.subject, ...holdersOf(caller)])];

/** Inserts a source, controlled by its creator. @throws Fault RES_ALREADY_EXISTS when the component has one already */
export const insert = (
  tx: Tx,
  caller: Who,
  source: { readonly id: SourceId; readonly productId: Id<'Product'> } & Settings,
): Promise<ReleaseSource> =>
  onConflict(
    sources.insert(tx, caller.tenant, {
      ...source,
      controllers: controllersIn(caller),
      createdBy: caller.subject,
      updatedBy: caller.subject,
      ...(source.isEnabled && { nextPollAt: sql`kernel.now()` }),
    }),
    'release_sources_component',
    () =>
      new Fault('RES_ALREADY_EXISTS', `The component ${source.component} has a source already.`, {
        component: source.component,
      }),
  );

const nothingSelected = {
  listEtag: null,
  listDigest: null,
  selectedTag: null,
  selectedDigest: null,
  selectedOrder: null,
  selectedAt: null,
} as const;

/** Changes the settings of a source. After a change of the selection or the repository it selects again at once. */
export const update = (
  tx: Tx,
  caller: Who,
  source: ReleaseSource,
  changes: Partial<Settings>,
): Promise<ReleaseSource> =>
  sources.update(tx, caller.tenant, source.id, {
    ...changes,
    controllers: [...new Set([...source.controllers, ...controllersIn(caller)])],
    ...((changes.selection || changes.repository) && nothingSelected),
    failures: 0,
    problem: null,
    nextPollAt: (changes.isEnabled ?? source.isEnabled) ? sql`kernel.now()` : null,
    updatedBy: caller.subject,
    updatedAt: sql`kernel.now()`,
  });

export const setWebhookSecret = (tx: Tx, tenant: TenantId, id: SourceId, sealed: Uint8Array | null, by: string) =>
  sources.update(tx, tenant, id, { webhookSecret: sealed, updatedBy: by, updatedAt: sql`kernel.now()` });

/** Lists the sources of these products, by component. */
export const listByProducts = (query: Query, tenant: TenantId, products: readonly Id<'Product'>[]) =>
  sources.listWhere(
    query,
    'listByProducts',
    sql`tenant = ${tenant} and product_id = any(${products}::uuid[]) order by product_id, component`,
  );

const due = table('orchestrator.release_sources.due', { tenant: tenantId, id: id('ReleaseSource') });

/**
 * Leases sources that are due, of all tenants but the busy ones; if the worker dies, they are due again when the lease
 * expires.
 */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number, busy: readonly TenantId[]) =>
  tx.list(
    due,
    sql`/* orchestrator.release_sources.leaseDue */
    with due as (
      select tenant, id from orchestrator.release_sources
      where next_poll_at <= kernel.now() and (lease_until is null or lease_until <= kernel.now())
        and tenant <> all(${busy}::text[])
      order by next_poll_at limit ${limit}
      for update skip locked
    )
    update orchestrator.release_sources as source
    set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds}), asked_at = null
    from due where source.tenant = due.tenant and source.id = due.id
    returning source.tenant, source.id`,
  );

/**
 * The next poll of a source: its interval, a tenth more or less, so that sources do not poll together, or sooner if it was
 * asked for since this one began.
 */
const next = sql`least(asked_at, kernel.now() + make_interval(secs => interval_seconds * (0.9 + 0.2 * random())))`;

/** Records polls that found what was selected before, by one statement; with other settings the poll is repeated. */
export const settleUnchanged = (
  tx: Tx,
  tenant: TenantId,
  polled: readonly { readonly id: SourceId; readonly version: number }[],
) =>
  tx.run(sql`/* orchestrator.release_sources.settleUnchanged */
    update orchestrator.release_sources as source
    set last_poll_at = kernel.now(), lease_until = null, failures = 0, problem = null,
      next_poll_at = case when source.version = polled.version then ${next} else source.next_poll_at end
    from unnest(${polled.map((each) => each.id)}::uuid[], ${polled.map((each) => each.version)}::integer[])
      as polled (id, version)
    where source.tenant = ${tenant} and source.id = polled.id`);

/** Facts about a tag list, by which the next poll knows that nothing changed. */
export interface ListState {
  readonly etag: string | null;
  readonly digest: string | null;
}

/** Image that a poll selected. */
export interface Selected {
  readonly tag: string;
  readonly digest: string;
  readonly order: string | null;
}

/** Records the image that a poll selected; the row is locked. */
export const settleSelected = (
  tx: Tx,
  tenant: TenantId,
  id: SourceId,
  list: ListState,
  { tag, digest, order }: Selected,
) =>
  tx.run(sql`/* orchestrator.release_sources.settleSelected */
    update orchestrator.release_sources
    set last_poll_at = kernel.now(), lease_until = null, failures = 0, problem = null, next_poll_at = ${next},
      list_etag = ${list.etag}, list_digest = ${list.digest},
      selected_tag = ${tag}, selected_digest = ${digest}, selected_order = ${order}, selected_at = kernel.now()
    where tenant = ${tenant} and id = ${id}`);

/** Records that a poll selected nothing; what was selected before stays. */
export const settleNothing = (tx: Tx, tenant: TenantId, id: SourceId, problem: string) =>
  tx.run(sql`/* orchestrator.release_sources.settleNothing */
    update orchestrator.release_sources
    set last_poll_at = kernel.now(), lease_until = null, failures = 0, problem = ${problem}, next_poll_at = ${next},
      list_etag = null, list_digest = null
    where tenant = ${tenant} and id = ${id}`);

/** Longest pause after failed polls, in seconds. */
const MAX_BACKOFF = 3_600;

/** Records a failed poll: the pause doubles each time, up to an hour, and is at least what the registry asked for. */
export const settleFailed = (tx: Tx, tenant: TenantId, id: SourceId, problem: string, retryAfterSeconds: number) =>
  tx.run(sql`/* orchestrator.release_sources.settleFailed */
    update orchestrator.release_sources
    set last_poll_at = kernel.now(), lease_until = null, failures = failures + 1, problem = ${problem},
      next_poll_at = kernel.now() + make_interval(secs => greatest(${retryAfterSeconds},
        least(${MAX_BACKOFF}, interval_seconds * power(2, least(failures, 12))) * (0.9 + 0.2 * random())))
    where tenant = ${tenant} and id = ${id}`);

/** Ends the lease of a source whose settings changed during its poll. */
export const release = (tx: Tx, tenant: TenantId, id: SourceId) =>
  tx.run(sql`/* orchestrator.release_sources.release */
    update orchestrator.release_sources set lease_until = null where tenant = ${tenant} and id = ${id}`);

/** Lets sources of a product be polled now. Those whose registry failed keep the pause that it asked for. */
export const hastenProduct = (tx: Tx, tenant: TenantId, product: Id<'Product'>) =>
  tx.run(sql`/* orchestrator.release_sources.hastenProduct */
    update orchestrator.release_sources set next_poll_at = kernel.now(), asked_at = kernel.now()
    where tenant = ${tenant} and product_id = ${product} and is_enabled and failures = 0`);

/** Lets a source be polled now, also while its registry fails. */
export const pollNow = (tx: Tx, tenant: TenantId, id: SourceId) =>
  tx.run(sql`/* orchestrator.release_sources.pollNow */
    update orchestrator.release_sources set next_poll_at = kernel.now(), asked_at = kernel.now()
    where tenant = ${tenant} and id = ${id} and is_enabled`);

/**
 * Lets a source be polled now, but not sooner than `pauseSeconds` after its last poll; after a poll that runs, as long
 * from now. One whose registry failed keeps the pause that it asked for.
 */
export const hasten = (tx: Tx, tenant: TenantId, id: SourceId, pauseSeconds: number) =>
  tx.run(sql`/* orchestrator.release_sources.hasten */
    update orchestrator.release_sources
    set next_poll_at = least(next_poll_at, greatest(kernel.now(), last_poll_at + make_interval(secs => ${pauseSeconds}))),
      asked_at = case when lease_until > kernel.now() then kernel.now() + make_interval(secs => ${pauseSeconds}) end
    where tenant = ${tenant} and id = ${id} and is_enabled and failures = 0
      and (next_poll_at > greatest(kernel.now(), last_poll_at + make_interval(secs => ${pauseSeconds}))
        or (lease_until > kernel.now() and asked_at is null))`);
