import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as jobs from './jobs.store.ts';

const POLL_MS = 15_000;

/** Worker that counts the deliveries that are not over, for the gauge `notify.queue.depth` of each channel (spec 6.7). */
export const createQueueDepth = ({
  database,
  log,
  meter,
}: Pick<Deps, 'database' | 'log'> & { readonly meter: Meter | undefined }): Worker => {
  let depths: Awaited<ReturnType<typeof jobs.countByChannel>> = [];
  meter?.gauge('notify.queue.depth', { description: 'Deliveries of a channel that are not over.' }, () =>
    depths.map(({ tenant, channelId, count }) => [count, { tenant, channel: channelId }] as const),
  );
  return pollingWorker({
    name: 'notifier.queue-depth',
    pollMs: POLL_MS,
    log,
    async turn() {
      depths = await database.system.read(jobs.countByChannel);
      return 0;
    },
  });
};
