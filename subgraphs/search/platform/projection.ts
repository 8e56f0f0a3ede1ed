import type { TenantId } from '@landfall/kernel/core/ids';
import { startPollingLoop } from '@landfall/kernel/core/polling-loop';
import type { Tx } from '@landfall/kernel/db/query';
import { cursorOf, type Event, listWhole } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { CHUNK } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import { applyBisecting } from './bisection.ts';
import { createEntityIndex } from './entity-index.ts';
import { fold, isProjected } from './fold.ts';
import { load, loadFor, touchNamed } from './load.ts';
import { createRebuild } from './rebuild.ts';
import * as store from './subjects.store.ts';
import { writeDocuments, writeFacts } from './writes.ts';

/** Interval of polling, for lost hints. */
const POLL_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** Events of one transaction at most. */
const BATCH = 500;

/** Creates the projection, which builds documents from the events of the platform. */
export const createProjection = (deps: Pick<Deps, 'database' | 'hints' | 'log'>, corpus: Corpus) => {
  const { database, hints, log } = deps;

  const applyEvents = async (tx: Tx, tenant: TenantId, events: readonly Event[]): Promise<void> => {
    const entities = createEntityIndex();
    await loadFor(tx, tenant, entities, events);
    for (const event of events) fold(entities, event);
    await touchNamed(tx, tenant, entities);
    const touched = entities.touched();
    await load(tx, tenant, entities, touched);
    await writeFacts(tx, tenant, entities, entities.changed());
    await writeDocuments(tx, tenant, corpus, entities, touched);
  };

  const stepOver = ({ tenant, type, entity, entityId, xid, id }: Event, error: unknown): void =>
    log.error({ err: error, tenant, type, entity, entityId, event: `${xid}-${id}` }, 'search.projection.steppedOver');

  /**
   * Projects the next events of all tenants in one transaction with the cursor. One process at a time; events that
   * cannot be projected are logged and skipped.
   * @returns number of events; a full batch if there may be more; 0 if another process is active
   */
  const advance = async (): Promise<number> => {
    const projected = await database.system.write(async (tx) => {
      const cursor = await store.lockIdleCursor(tx);
      if (!cursor) return undefined;
      const events = await listWhole(tx, cursor, BATCH);
      const last = events.at(-1);
      if (!last) return 0;
      for (const [tenant, own] of Map.groupBy(events.filter(isProjected), (event) => event.tenant))
        await applyBisecting(tx, own, (some) => applyEvents(tx, tenant, some), stepOver);
      await store.setCursor(tx, cursorOf(last));
      await failpoint('search.projection.advancing');
      return events.length;
    });
    if (projected === undefined) await database.system.write(store.ensureCursor);
    if (projected !== undefined && projected > 0) hints.publish([CHUNK]);
    return projected ?? 0;
  };

  return {
    name: 'search.projection',
    advance,
    /** Replays all events of a tenant and removes documents without one. Idempotent. @returns number of documents */
    rebuild: createRebuild(deps, corpus),
    start: () =>
      startPollingLoop({
        pollMs: POLL_MS,
        longestPauseMs: MAX_PAUSE_MS,
        hints: deps.hints,
        turn: async () => (await advance()) === BATCH,
        onError: (err) => deps.log.error({ err }, 'search.projection'),
      }),
  };
};
