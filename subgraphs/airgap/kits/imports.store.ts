import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, oneOf, tenantId, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { changesSchema } from './changes.ts';
import { KIT_KINDS } from './manifest.ts';

/**
 * `queued`: a worker takes it next. `waiting`: parts are missing. `switched`: its content is in force, its receipt is not
 * signed yet. `complete` and `failed` are final.
 */
export const IMPORT_STATES = ['queued', 'waiting', 'switched', 'complete', 'failed'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

const FINAL: readonly ImportState[] = ['complete', 'failed'];

const imports = table(
  'airgap.kit_imports',
  {
    id: id('KitImport'),
    kitDigest: text,
    envelope: text,
    kitId: uuid,
    kind: oneOf(...KIT_KINDS),
    channel: text,
    sequence: integer,
    /** Folder of the inbox; null where a command brought the parts. */
    source: text.nullable(),
    registry: text.nullable(),
    isDryRun: boolean,
    /** Rule of the gate that a dry run evaluates; null for the default. */
    failOn: text.nullable(),
    state: oneOf(...IMPORT_STATES),
    missingParts: json(Type.Array(Type.Integer())),
    /** Steps, of which a bar of progress is made. */
    done: integer,
    total: integer,
    changes: json(changesSchema).nullable(),
    failureCode: text.nullable(),
    failureMessage: text.nullable(),
    requestedBy: text,
    requestedThrough: text,
    /** Number of leases; a worker acts only under its own. */
    fence: integer,
    /** Leases since it was requested or got more parts. */
    attempts: integer,
    /** Time at which another worker may take it; null while none has it. */
    leaseUntil: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
    finishedAt: instant.nullable(),
    version: integer,
  },
  { noun: 'import of a kit' },
);

export type KitImport = RowOf<typeof imports>;

export const { get } = imports;

/** Refusal of a worker whose lease another one has taken, or whose import another one has ended. */
export class LostLease extends Error {
  override readonly name = 'LostLease';
}

/** Import that a worker holds. */
export interface Held {
  readonly id: Id<'KitImport'>;
  readonly fence: number;
}

/** The import, locked, for the worker that holds it, in one of some states. @throws LostLease */
export const getHeld = async (
  tx: Tx,
  tenant: TenantId,
  { id: importId, fence }: Held,
  states: readonly ImportState[] = ['queued', 'waiting', 'switched'],
): Promise<KitImport> => {
  const row = await imports.getLocked(tx, tenant, importId);
  if (row.fence !== fence || !states.includes(row.state)) throw new LostLease(`Another worker has import ${importId}.`);
  return row;
};

export const list = (
  query: Query,
  tenant: TenantId,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<KitImport[]> =>
  imports.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and (${after ?? null}::uuid is null or id < ${after ?? null}) order by id desc limit ${limit}`,
  );

/** Import of a kit that has not ended, whether a dry run or not. */
export const findAnyOpen = (query: Query, tenant: TenantId, kitDigest: string) =>
  imports.findWhere(
    query,
    'findAnyOpen',
    sql`tenant = ${tenant} and kit_digest = ${kitDigest} and state in ('queued', 'waiting', 'switched') limit 1`,
  );

/** Import of a kit that has not ended, locked; a dry run by the same rule. */
export const findOpen = (
  tx: Tx,
  tenant: TenantId,
  { kitDigest, isDryRun, failOn }: Pick<KitImport, 'kitDigest' | 'isDryRun' | 'failOn'>,
) =>
  imports.findWhere(
    tx,
    'findOpen',
    sql`tenant = ${tenant} and kit_digest = ${kitDigest} and is_dry_run = ${isDryRun}
      and fail_on is not distinct from ${failOn} and state in ('queued', 'waiting', 'switched') for update`,
  );

type New = Omit<
  KitImport,
  | 'missingParts'
  | 'done'
  | 'total'
  | 'changes'
  | 'failureCode'
  | 'failureMessage'
  | 'fence'
  | 'attempts'
  | 'leaseUntil'
  | 'createdAt'
  | 'updatedAt'
  | 'finishedAt'
  | 'version'
>;

export const insert = (tx: Tx, tenant: TenantId, row: New): Promise<KitImport> => imports.insert(tx, tenant, row);

type Changes = Partial<
  Pick<
    KitImport,
    'state' | 'source' | 'registry' | 'missingParts' | 'done' | 'total' | 'changes' | 'failureCode' | 'failureMessage'
  >
>;

/** Changes an import. A new state frees it for the next worker, unless it is `switched`. */
export const update = (tx: Tx, tenant: TenantId, importId: Id<'KitImport'>, changes: Changes): Promise<KitImport> =>
  imports.update(tx, tenant, importId, {
    ...changes,
    // The worker that switched signs the receipt next; another one does so only when that worker is gone.
    ...(changes.state && changes.state !== 'switched' && { leaseUntil: null, attempts: 0 }),
    updatedAt: sql`kernel.now()`,
    ...(changes.state && FINAL.includes(changes.state) && { finishedAt: sql`kernel.now()` }),
  });

/** Extends the lease of an import whose work goes on, and notes its progress. @throws LostLease */
export const renew = async (
  tx: Tx,
  tenant: TenantId,
  { id: importId, fence }: Held,
  { done, total, leaseSeconds }: { readonly done: number; readonly total: number; readonly leaseSeconds: number },
): Promise<void> => {
  const held = await tx.run(sql`/* airgap.kit_imports.renew */
    update airgap.kit_imports set done = ${done}, total = ${total},
      lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    where tenant = ${tenant} and id = ${importId} and fence = ${fence} and state in ('queued', 'switched')`);
  if (held === 0) throw new LostLease(`Another worker has import ${importId}.`);
};

/** Leaves an import to a later turn; the lease that ends so is not counted. */
export const postpone = (tx: Tx, tenant: TenantId, { id: importId, fence }: Held, seconds: number): Promise<number> =>
  tx.run(sql`/* airgap.kit_imports.postpone */
    update airgap.kit_imports
    set attempts = attempts - 1, lease_until = kernel.now() + make_interval(secs => ${seconds})
    where tenant = ${tenant} and id = ${importId} and fence = ${fence} and state = 'queued'`);

const due = table('airgap.kit_imports due', { tenant: tenantId, id: id('KitImport'), fence: integer });

/** Leases the oldest import that is due. Role `landfall_system`. */
export const leaseDue = (tx: Tx, leaseSeconds: number) =>
  tx.find(
    due,
    sql`/* airgap.kit_imports.leaseDue */
    update airgap.kit_imports
    set fence = fence + 1, attempts = attempts + 1, lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    where (tenant, id) = (
      select tenant, id from airgap.kit_imports
      where state in ('queued', 'switched') and (lease_until is null or lease_until <= kernel.now())
      order by created_at limit 1 for update skip locked)
    returning tenant, id, fence`,
  );
