import { toId } from '@landfall/kernel/core/ids';
import type { EvidenceReaders } from '@landfall/kernel/module';
import * as jobs from './jobs.store.ts';
import { evidenceOf } from './kinds.ts';

/** Evidence of other sites, by the event that says that it counts here: the artifact store puts and judges it. */
export const syncEvidence: EvidenceReaders = new Map([
  [
    'syncJob.apply',
    async (query, tenant, { entityId }) => {
      const { kind, siteId, payload } = await jobs.get(query, tenant, toId(entityId, 'SyncJob'));
      return kind === 'evidence' ? evidenceOf(siteId, payload) : undefined;
    },
  ],
]);
