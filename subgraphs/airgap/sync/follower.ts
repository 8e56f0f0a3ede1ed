import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { find as findPolicy } from '@landfall/kernel/egress/policies.store';
import type { Deps, EvidenceReaders } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { TenantTimes } from '../time/tenant-time.ts';
import * as store from './feed.store.ts';
import { evidencePayload } from './kinds.ts';
import { enqueue } from './queue.ts';
import type { SyncMeters } from './sync-meters.ts';

/** Event by which the platform announces a signed and logged statement. */
const ANNOUNCED = 'attestation.log';
const BATCH = 50;
const POLL_MS = 2_000;
/** Transactions after which the position moves although nothing arrived, so that nothing is read twice for long. */
const LONGEST_SPAN = 1_000n;

interface FollowerDeps extends Pick<Deps, 'database' | 'hints' | 'ids' | 'log'> {
  readonly readers: EvidenceReaders;
  readonly times: Pick<TenantTimes, 'read'>;
  readonly meters: SyncMeters;
}

/** Follows the statements of sealed sites and puts those about their deployments into the queue. */
export const createFollower = ({ database, hints, ids, log, readers, times, meters }: FollowerDeps) => {
  type Next = Awaited<ReturnType<typeof store.listNext>>['events'][number];

  const documentOf = (tenant: TenantId, event: Next) =>
    database.read(tenant, async (query) => {
      if ((await findPolicy(query, tenant))?.mode !== 'sealed') return undefined;
      const document = await readers.get(ANNOUNCED)?.(query, tenant, event);
      return document?.references.some(({ kind }) => kind === 'Deployment') ? document : undefined;
    });

  /** Puts the statement of an event into the queue. One that fits no job is logged; any other failure repeats the turn. */
  const follow = async ({ tenant, correlationId, ...event }: Next): Promise<void> => {
    const document = await documentOf(tenant, { tenant, correlationId, ...event });
    if (!document) return;
    const who = systemCaller(tenant, 'airgap.sync', correlationId);
    const job = { kind: 'evidence', key: document.serialNumber, payload: evidencePayload(document) } as const;
    try {
      const { isNew } = await database.write(tenant, async (tx) =>
        enqueue(tx, who, { ids, now: (await times.read(tx, tenant)).now }, job),
      );
      if (isNew) meters.enqueued(tenant, job.kind);
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      log.error({ err: error, tenant, id: event.entityId }, 'a statement that is not told to other sites');
    }
  };

  /** Follows what was announced since the last turn, and returns the number of events. */
  const turn = async (): Promise<number> => {
    const { from, events, next } = await database.system.read((query) => store.listNext(query, ANNOUNCED, BATCH));
    for (const event of events) await follow(event);
    const isFarBehind = BigInt(next.xid) - BigInt(from.xid) > LONGEST_SPAN;
    if (events.length > 0 || isFarBehind) await database.system.write((tx) => store.moveFeed(tx, from, next));
    return events.length;
  };

  return {
    turn,
    worker: pollingWorker({ name: 'airgap.sync', pollMs: POLL_MS, hints: hints.of('Attestation'), log, turn }),
  };
};
