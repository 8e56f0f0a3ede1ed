import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { asFault, Fault, hidesCause } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import type { FeedFile, FeedImporter, VexImporter } from '@landfall/kernel/operator/transfers';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { AnchoredNow } from '../kits/import-requests.ts';
import * as store from './mirror-sources.store.ts';

const POLL_MS = 2_000;
const LEASE_SECONDS = 300;

interface WorkerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly dataDir: string;
  /** Time by which content is judged; a sealed site without a usable anchor has none. */
  readonly importNow: AnchoredNow;
  readonly feeds: FeedImporter;
  readonly vex: VexImporter;
}

/** Another request or worker changed the mirror while this turn worked. */
class Superseded extends Error {
  override readonly name = 'Superseded';
}

interface Imported {
  readonly records: number;
  readonly rejected: number;
}

/** Creates the worker that imports mirrors of advisory sources; an import takes effect as a whole. */
export const createMirrorWorker = ({ database, ids, hints, log, dataDir, importNow, feeds, vex }: WorkerDeps) => {
  /** Mirror on the disk; a link may lead anywhere. @throws Fault RES_NOT_FOUND */
  const openMirror = async (tenant: TenantId, { folder }: store.MirrorSource): Promise<FeedFile> => {
    const path = join(dataDir, 'mirror', tenant, folder);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() || found?.isDirectory()) return { path, name: folder };
    throw new Fault(
      'RES_NOT_FOUND',
      `There is no file or directory ${folder} among the mirrors of ${tenant}. Copy it there first.`,
      { folder },
    );
  };

  /** Locks a mirror that nobody has changed since this turn read it. @throws Superseded */
  const lock = async (tx: Tx, { tenant }: Who, { sourceId, version }: store.MirrorSource): Promise<void> => {
    if ((await store.getLocked(tx, tenant, sourceId)).version !== version) throw new Superseded(sourceId);
  };

  /** Notes that the content is in force, in the transaction of the import. */
  const settle = (tx: Tx, caller: Who, source: store.MirrorSource, imported: Imported): Promise<store.MirrorSource> => {
    if (imported.records === 0)
      throw new Fault('VAL_INVALID_VALUE', `${source.folder} has nothing that can be read.`, { ...imported });
    const sequence = source.sequence + 1;
    return store.update(tx, caller.tenant, source.sourceId, { state: 'imported', sequence, ...imported });
  };

  const importFeeds = (caller: Who, source: store.MirrorSource, file: FeedFile): Promise<store.MirrorSource> =>
    database.system.write(async (tx) => {
      await lock(tx, caller, source);
      const { records, refused, catalogues } = await feeds.importAll(tx, [file]);
      return settle(tx, caller, source, { records: records + catalogues.length, rejected: refused.length });
    });

  const importVex = (caller: Who, source: store.MirrorSource, file: FeedFile): Promise<store.MirrorSource> =>
    database.write(caller.tenant, async (tx) => {
      await lock(tx, caller, source);
      return settle(tx, caller, source, await vex.importAll(tx, caller, { ...file, source: source.vexSource ?? '' }));
    });

  /** Ends an import, with its event. */
  const end = async (caller: Who, source: store.MirrorSource, changes: Parameters<typeof store.update>[3]) => {
    const { sourceId } = source;
    await database.write(caller.tenant, async (tx) => {
      await lock(tx, caller, source);
      const ended = await store.update(tx, caller.tenant, sourceId, changes);
      const { version, state, sequence, records, rejected, errorCode } = ended;
      const data = { sequence, records, rejected, errorCode };
      await event(tx, caller, `mirror.${state}`, { entity: 'MirrorSource', id: sourceId, version, data });
    });
  };

  const perform = async (tenant: TenantId, sourceId: string): Promise<void> => {
    const source = await database.read(tenant, (query) => store.get(query, tenant, sourceId));
    const caller = {
      ...systemCaller(tenant, source.requestedBy, ids.uuid()),
      clientId: source.requestedThrough,
    };
    try {
      let imported = source;
      if (source.state === 'queued') {
        await importNow(tenant);
        const file = await openMirror(tenant, source);
        await failpoint('mirror.opened');
        imported = await (source.kind === 'vex' ? importVex : importFeeds)(caller, source, file);
        await failpoint('mirror.imported');
      }
      await end(caller, imported, { state: 'complete' });
    } catch (error) {
      // A later request stands in the queue, and content in force is no failure: the next turn ends it.
      if (error instanceof Superseded) return;
      const fault = asFault(error);
      if (hidesCause(fault)) log.error({ err: error, tenant, source: sourceId }, 'import of a mirror');
      const failure = { errorCode: fault.code, errorMessage: fault.message };
      await end(caller, source, { state: 'failed', ...failure }).catch((err: unknown) => {
        if (!(err instanceof Superseded)) throw err;
      });
    }
  };

  const turn = async (): Promise<number> => {
    const due = await database.system.write((tx) => store.leaseDue(tx, LEASE_SECONDS));
    if (!due) return 0;
    await perform(due.tenant, due.sourceId);
    return 1;
  };

  return {
    turn,
    worker: pollingWorker({ name: 'airgap.mirrors', pollMs: POLL_MS, hints: hints.of('MirrorSource'), log, turn }),
  };
};
