import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Ids, toId } from '@landfall/kernel/core/ids';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import { payloadDigest } from './bundle.ts';
import { mergeAll } from './import.ts';
import * as store from './jobs.store.ts';
import { checkPayload, type JobKind } from './kinds.ts';
import * as sites from './sites.store.ts';
import { nextStamp } from './stamp.ts';

const record = eventsOf('SyncJob');

interface NewJob {
  readonly kind: JobKind;
  readonly key: string;
  readonly payload: object;
}

/**
 * Puts a job into the queue of the own site, and notes where other sites contradict it. The same job again changes nothing.
 * @throws Fault VAL_*, RES_CONFLICT for another payload under the same key
 */
export const enqueue = async (
  tx: Tx,
  who: Who,
  { ids, now }: { readonly ids: Ids; readonly now: Date },
  { kind, key, payload: value }: NewJob,
): Promise<{ readonly job: store.SyncJob; readonly isNew: boolean }> => {
  const { tenant } = who;
  const payload = canonicalJson(value);
  checkPayload(kind, payload);
  const digest = payloadDigest(payload);
  const { siteId, stamp: last } = await sites.lockNode(tx, tenant, ids.uuid());
  const known = await store.findOfSite(tx, tenant, siteId, { kind, key });
  if (known?.digest === digest) return { job: known, isNew: false };
  if (known) throw new Fault('RES_CONFLICT', `This site said something else of ${key} already.`, { id: known.id });
  const stamp = nextStamp(last, now);
  await sites.moveClock(tx, tenant, stamp);
  const id = toId(ids.uuid(), 'SyncJob');
  const job = { id, siteId, stamp, kind, key, digest, payload } as const;
  await mergeAll(tx, who, { ids, now }, [{ ...job, state: 'queued', refusal: null, sequence: null }]);
  await record(tx, who, 'syncJob.enqueue', job, { kind, key, digest });
  return { job: await store.get(tx, tenant, id), isNew: true };
};
