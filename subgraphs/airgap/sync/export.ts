import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Ids, TenantId } from '@landfall/kernel/core/ids';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Database } from '@landfall/kernel/db/database';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import { documentText } from '../roots/signed-document.ts';
import { bundles, MAX_CONTENT_BYTES, MAX_ENTRIES, type SignedBundle } from './bundle.ts';
import * as jobs from './jobs.store.ts';
import * as sites from './sites.store.ts';

const record = eventsOf('SyncBundle');

interface ExportDeps {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly ids: Ids;
  readonly signer: () => Promise<Signer>;
  readonly now: (tenant: TenantId) => Promise<Date>;
}

/** Bundle that was exported, with the text of its file. */
interface ExportedBundle extends sites.SyncExport {
  readonly siteId: string;
  readonly text: string;
}

/** Oldest jobs that fit into a bundle; at least one. */
const fitting = (queued: readonly jobs.WholeJob[]): readonly jobs.WholeJob[] => {
  let size = 0;
  return queued.filter(({ payload }, index) => {
    size += Buffer.byteLength(payload);
    return index === 0 || size <= MAX_CONTENT_BYTES;
  });
};

type Head = Pick<sites.SyncExport, 'sequence' | 'previousDigest' | 'createdAt'> & { readonly siteId: string };

const draftOf = (
  { siteId, sequence, previousDigest, createdAt }: Head,
  entries: readonly jobs.WholeJob[],
): SignedBundle =>
  bundles.draft({
    version: 1,
    ...{ siteId, sequence, previousDigest, createdAt },
    entries: entries.map(({ stamp, kind, key, digest, payload }) => ({ stamp, kind, key, digest, payload })),
  });

/** Fixes the next bundle: from here on its jobs belong to it, whether it is ever written or not. */
const freeze = async (tx: Tx, who: Who, ids: Ids, now: Date): Promise<number> => {
  const { tenant } = who;
  const { siteId, sequence: last, bundleDigest } = await sites.lockNode(tx, tenant, ids.uuid());
  const taken = fitting(await jobs.listQueued(tx, tenant, MAX_ENTRIES));
  if (taken.length === 0) throw new Fault('RES_NOT_FOUND', 'No job waits to be exported.');
  const sequence = last + 1;
  const head = { sequence, previousDigest: bundleDigest, createdAt: `${now.toISOString().slice(0, 19)}Z` };
  const { digest, envelope } = draftOf({ ...head, siteId }, taken);
  const entries = taken.length;
  await sites.insertExport(tx, tenant, { ...head, digest, entries, sizeBytes: envelope.payload.length });
  await jobs.markExported(tx, tenant, taken, sequence);
  await record(tx, who, 'syncBundle.export', { id: siteId, version: sequence }, { sequence, digest, entries });
  return sequence;
};

/** Creates the export of bundles: the next one, or one of before that was lost on its way. */
export const createExport =
  ({ database, ids, signer, now }: ExportDeps) =>
  async (who: Who, wanted: number | undefined): Promise<ExportedBundle> => {
    const { tenant } = who;
    const time = await now(tenant);
    const sequence = wanted ?? (await database.write(tenant, (tx) => freeze(tx, who, ids, time)));
    const { siteId, found, entries } = await database.read(tenant, async (query) => {
      const own = await sites.findNode(query, tenant);
      const bundle = own && (await sites.findExport(query, tenant, sequence));
      if (!own || !bundle) throw new Fault('RES_NOT_FOUND', `No bundle ${sequence} was exported.`, { sequence });
      return {
        siteId: own.siteId,
        found: bundle,
        entries: await jobs.listOfBundle(query, tenant, own.siteId, sequence),
      };
    });
    const draft = draftOf({ ...found, siteId }, entries);
    if (draft.digest !== found.digest)
      throw new Fault('SYS_STORAGE_ERROR', `The jobs of bundle ${sequence} changed after they were exported.`);
    return { ...found, siteId, text: documentText(await bundles.sign(draft, await signer())) };
  };
