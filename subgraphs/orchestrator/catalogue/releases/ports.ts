import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Release, ReleaseId } from './releases.store.ts';

/** Listener for changes of releases, which records statements. Each call writes in the transaction of the change. */
export interface ReleaseListener {
  /** Schedules the reading of statements attached to the images of a finalized release. */
  onFinalized(tx: Tx, tenant: TenantId, release: ReleaseId): Promise<unknown>;
  /** Records a release that became ready for promotion, with its evidence. */
  onReady(tx: Tx, caller: Who, release: Release): Promise<void>;
}
