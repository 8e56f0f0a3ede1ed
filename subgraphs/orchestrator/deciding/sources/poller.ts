import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as products from '../../catalogue/products/product.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import * as candidates from './candidates.store.ts';
import { gatherUnreleased } from './gathering.ts';
import { type PollRegistries, type PollResult, poll } from './poll.ts';
import * as refused from './refused-candidates.store.ts';
import * as store from './sources.store.ts';
import { createTenantPool, pooledWorker } from './tenant-pool.ts';

/** Subject of actions of sources in the audit trail and in releases. */
export const ACTOR = 'orchestrator.releaseSources';

/** Sources of one tenant that are polled at once. */
const BATCH = 8;
/** Sources that are polled at once. */
const MAX_POLLING = 32;
/** Lease of a poll in seconds: longer than its deadline and storing the result. */
const LEASE_SECONDS = 90;
const POLL_MS = 2_000;

interface PollerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly registries: PollRegistries;
}

/** Seconds that a registry asked to wait. */
const retryAfterOf = ({ details }: Fault): number => {
  const seconds = Number(details?.retryAfter ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3_600) : 0;
};

/** Creates the worker that polls the repositories of sources and gathers what changed. */
export const createPoller = ({ database, ids, hints, log, registries }: PollerDeps) => {
  /** Publishes a poll's outcome where it differs from that of the poll before. */
  const recordProblem = async (tx: Tx, caller: Who, source: store.ReleaseSource, problem: string): Promise<void> => {
    if (source.problem === problem) return;
    const { component } = source;
    await publishEvent(tx, caller, 'source.problem', 'ReleaseSource', source, { component, problem });
  };

  const refuseImage = (
    tx: Tx,
    caller: Who,
    source: store.ReleaseSource,
    code: string,
    reason: string,
    tag: string | null,
  ) =>
    refused.record(tx, caller.tenant, {
      id: toId(ids.uuid(), 'RefusedCandidate'),
      productId: source.productId,
      component: source.component,
      tag,
      code,
      reason: `${source.component}: ${reason}`,
    });

  /** Gathers what could not be released while a source had a problem. */
  const recover = async (tx: Tx, caller: Who, source: store.ReleaseSource): Promise<void> => {
    await gatherUnreleased(tx, caller.tenant, ids, source.productId);
    await publishEvent(tx, caller, 'source.recover', 'ReleaseSource', source, { component: source.component });
  };

  const recordSelected = async (
    tx: Tx,
    caller: Who,
    source: store.ReleaseSource,
    { list, selected }: Extract<PollResult, { kind: 'selected' }>,
  ): Promise<void> => {
    await store.settleSelected(tx, caller.tenant, source.id, list, selected);
    if (selected.digest === source.selectedDigest && selected.tag === source.selectedTag)
      return source.problem === null ? undefined : recover(tx, caller, source);
    const { productId, policy, debounceSeconds } = source;
    await candidates.gather(tx, caller.tenant, {
      id: toId(ids.uuid(), 'ReleaseCandidate'),
      productId,
      policy,
      debounceSeconds,
    });
    await publishEvent(tx, caller, 'source.select', 'ReleaseSource', source, {
      component: source.component,
      ...selected,
    });
  };

  const recordFault = async (tx: Tx, caller: Who, source: store.ReleaseSource, fault: Fault): Promise<void> => {
    await store.settleFailed(tx, caller.tenant, source.id, fault.message, retryAfterOf(fault));
    await recordProblem(tx, caller, source, fault.message);
    // Other faults are those of the registry, which the source itself shows.
    if (fault.code === 'INT_INVALID_RESPONSE') await refuseImage(tx, caller, source, fault.code, fault.message, null);
  };

  const record = (
    caller: Who,
    { id, productId, version }: store.ReleaseSource,
    result: PollResult | Fault,
  ): Promise<void> =>
    database.write(caller.tenant, async (tx) => {
      // Before the source: a change of the product locks in this order.
      await products.findLocked(tx, caller.tenant, productId);
      const source = await store.findLocked(tx, caller.tenant, id);
      if (!source) return;
      // The settings changed during the poll, which is repeated with the new ones.
      if (source.version !== version || !source.isEnabled) {
        await store.release(tx, caller.tenant, id);
        return;
      }
      if (result instanceof Fault) await recordFault(tx, caller, source, result);
      else if (result.kind === 'selected') await recordSelected(tx, caller, source, result);
      else if (result.kind === 'unchanged') {
        await store.settleUnchanged(tx, caller.tenant, [source]);
        await recover(tx, caller, source);
      } else {
        await store.settleNothing(tx, caller.tenant, id, result.reason);
        await recordProblem(tx, caller, source, result.reason);
        await refuseImage(tx, caller, source, 'RES_NOT_FOUND', result.reason, result.tag);
      }
    });

  /** Polls a source; returns it if nothing changed, which is recorded with that of others. */
  const pollOne = async (caller: Who, source: store.ReleaseSource): Promise<store.ReleaseSource | undefined> => {
    const result = await poll(registries, caller, source);
    await failpoint('sources.polled');
    if (!(result instanceof Fault) && result.kind === 'unchanged' && source.problem === null) return source;
    await record(caller, source, result);
    return undefined;
  };

  const pollTenant = async (tenant: TenantId, due: readonly store.SourceId[]): Promise<void> => {
    const caller = systemCaller(tenant, ACTOR, ids.uuid());
    const sources = await database.read(tenant, (query) => store.listByIds(query, tenant, due));
    const unchanged = await Promise.all(
      sources.map((source) =>
        // The lease runs out and the source is due again.
        pollOne(caller, source).catch((error: unknown) => {
          log.error({ err: error, tenant, source: source.id }, 'release source');
          return undefined;
        }),
      ),
    );
    const same = unchanged.flatMap((source) => source ?? []);
    if (same.length > 0) await database.write(tenant, (tx) => store.settleUnchanged(tx, tenant, same));
  };

  const pool = createTenantPool({ slots: MAX_POLLING, share: BATCH });

  /** Begins to poll sources that are due, and returns their number. */
  const start = async (): Promise<number> => {
    const limit = pool.room();
    if (limit === 0) return 0;
    const due = await database.system.write((tx) => store.leaseDue(tx, limit, LEASE_SECONDS, pool.busy()));
    for (const [tenant, rows] of Map.groupBy(due, (row) => row.tenant))
      pool.run(tenant, rows.length, () =>
        pollTenant(
          tenant,
          rows.map(({ id }) => id),
        ).catch((error: unknown) => log.error({ err: error, tenant }, 'release sources')),
      );
    return due.length;
  };

  return pooledWorker({
    name: 'orchestrator.sourcePoller',
    pollMs: POLL_MS,
    hints: hints.of('ReleaseSource', 'Product'),
    log,
    pool,
    start,
  });
};
