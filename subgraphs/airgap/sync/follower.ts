import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { find as findPolicy } from '@landfall/kernel/egress/policies.store';
import { createFollower, type FollowedEvent } from '@landfall/kernel/events/follower';
import type { Deps, EvidenceReaders } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { TenantTimes } from '../time/tenant-time.ts';
import { evidencePayload } from './kinds.ts';
import { enqueue } from './queue.ts';
import type { SyncMeters } from './sync-meters.ts';

/** Event by which the platform announces a signed and logged statement. */
const ANNOUNCED = 'attestation.log';
const BATCH = 50;
const POLL_MS = 2_000;

interface FollowerDeps extends Pick<Deps, 'database' | 'hints' | 'ids' | 'log'> {
  readonly readers: EvidenceReaders;
  readonly times: Pick<TenantTimes, 'read'>;
  readonly meters: SyncMeters;
}

/** Follows the statements of sealed sites and puts those about their deployments into the queue. */
export const createStatementFollower = ({ database, hints, ids, log, readers, times, meters }: FollowerDeps) => {
  const documentOf = (tenant: TenantId, event: FollowedEvent) =>
    database.read(tenant, async (query) => {
      if ((await findPolicy(query, tenant))?.mode !== 'sealed') return undefined;
      const document = await readers.get(ANNOUNCED)?.(query, tenant, event);
      return document?.references.some(({ kind }) => kind === 'Deployment') ? document : undefined;
    });

  /** Puts the statement of an event into the queue. One that fits no job is logged; any other failure repeats the turn. */
  const follow = async ({ tenant, correlationId, ...event }: FollowedEvent): Promise<void> => {
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

  const turn = createFollower({ database, table: 'airgap.event_feed', types: [ANNOUNCED], batch: BATCH, follow });

  return {
    /** Follows what was announced since the last turn, and returns the number of events. */
    turn,
    worker: pollingWorker({ name: 'airgap.sync', pollMs: POLL_MS, hints: hints.of('Attestation'), log, turn }),
  };
};
