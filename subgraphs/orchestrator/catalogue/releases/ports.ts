import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Release, ReleaseId } from './releases.store.ts';

/** Evidence that follows from changes of releases. Each call writes in the transaction of the change. */
export interface ReleaseListener {
  /** The images of a finalized release are read for attached statements. */
  onFinalized(tx: Tx, tenant: TenantId, release: ReleaseId): Promise<unknown>;
  /** The release may be promoted, with the evidence that is attached to it by now. */
  onReady(tx: Tx, who: Who, release: Release): Promise<void>;
}
