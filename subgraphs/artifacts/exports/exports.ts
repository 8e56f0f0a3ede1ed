import { text } from 'node:stream/consumers';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { BundleContents } from '../bundles/bundle-contents.ts';
import type { Bundles } from '../bundles/bundles.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { EVIDENCE_EXPORT, EVIDENCE_READ, EXPORT_READ } from '../shared/scopes.ts';
import { directoryOf, exportTar, gzipOf } from './archive.ts';
import { ArtifactChanged } from './evidence-artifact.ts';
import * as store from './exports.store.ts';
import { readStoredManifest } from './manifest.ts';

export type { EvidenceExport } from './exports.store.ts';

const record = eventsOf('EvidenceExport');

/** Bytes of a stored file in memory at once. */
const PIECE_BYTES = 262_144;

/** Exports of a bundle that lists show. */
const SHOWN = 5;

const exportInput = Type.Object({ bundleId: idOf('EvidenceBundle'), exportId: idOf('EvidenceExport') });
const example = { bundleId: exampleId('EvidenceBundle'), exportId: exampleId('EvidenceExport') };

interface ExportDeps extends Pick<Deps, 'operation' | 'database' | 'ids' | 'log'> {
  readonly objects: Pick<ObjectStore, 'open'>;
  readonly contents: BundleContents;
  readonly bundles: Pick<Bundles, 'exists'>;
}

interface ExportKey {
  readonly bundleId: store.EvidenceExport['bundleId'];
  readonly exportId: store.ExportId;
}

/** Export of a bundle. @throws Fault RES_NOT_FOUND, also for an export of another bundle */
const getOf = async (query: Query, tenant: TenantId, { bundleId, exportId }: ExportKey) => {
  const found = await store.get(query, tenant, exportId);
  if (found.bundleId === bundleId) return found;
  throw new Fault('RES_NOT_FOUND', `There is no evidence export ${exportId}.`, { id: exportId });
};

/** @throws Fault RES_CONFLICT unless the export is complete */
const refuseUnfinished = ({ id, status, failure }: store.EvidenceExport): void => {
  if (status === 'failed')
    throw new Fault('RES_CONFLICT', `The export ${id} failed: ${failure} Request another one.`, { id, status });
  if (status !== 'complete')
    throw new Fault('RES_CONFLICT', `The export ${id} is ${status}. Download it when its status is complete.`, {
      id,
      status,
    });
};

/** Creates the operations on exports of evidence bundles. */
export const createExports = ({ operation, database, ids, log, objects, contents, bundles }: ExportDeps) => {
  /** Bytes of a stored file; no connection is held while the reader takes them. */
  const bytesOf = (tenant: TenantId, exportId: store.ExportId, path: string, size: number) => ({
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < size; from += PIECE_BYTES) {
        const piece = { path, from, length: PIECE_BYTES };
        yield (await database.read(tenant, (query) => store.getPiece(query, tenant, exportId, piece))).content;
      }
    },
  });

  /** Files of a complete export, by path. */
  const filesOf = (tenant: TenantId, key: ExportKey) =>
    database.read(tenant, async (query) => {
      refuseUnfinished(await getOf(query, tenant, key));
      const files = await store.listFiles(query, tenant, key.exportId);
      return new Map(
        files.map(({ path, size }) => [path, { size, bytes: bytesOf(tenant, key.exportId, path, size) }] as const),
      );
    });

  /** Says why an archive ended early: to the log, and to a client that has no byte of it yet. */
  async function* explained(archive: AsyncIterable<Uint8Array>, exportId: store.ExportId): AsyncGenerator<Uint8Array> {
    try {
      yield* archive;
    } catch (error) {
      if (!(error instanceof ArtifactChanged)) throw error;
      log.error({ err: error, export: exportId }, 'artifacts.exports.download');
      throw new Fault('SYS_STORAGE_ERROR', `${error.message} Request another export: it lists what is missing.`, {
        id: error.artifactId,
      });
    }
  }

  return {
    /** Requests an export; one that is under way is answered again. */
    request: operation({
      name: 'export.request',
      kind: 'write',
      scope: EVIDENCE_EXPORT,
      input: Type.Object({ bundleId: idOf('EvidenceBundle') }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { bundleId: example.bundleId },
      async run(who, { bundleId }, tx) {
        const { tenant, subject: requestedBy } = who;
        await bundles.exists(tx, tenant, bundleId);
        const id = toId(ids.uuid(), 'EvidenceExport');
        const created = await store.insertIfAbsent(tx, tenant, { id, bundleId, requestedBy });
        const found = created ?? (await store.findOpen(tx, tenant, bundleId));
        if (!found) throw new Fault('RES_CONFLICT', 'An export of this bundle ended a moment ago. Try again.');
        await record(tx, who, 'export.request', found, { bundle: bundleId, isNew: created !== undefined });
        return found;
      },
    }),

    get: operation({
      name: 'export.get',
      kind: 'read',
      scope: EXPORT_READ,
      input: exportInput,
      raises: ['RES_NOT_FOUND'],
      example,
      async run({ tenant }, key, query) {
        const found = await getOf(query, tenant, key);
        const manifest =
          found.status === 'complete' ? await store.findFile(query, tenant, key.exportId, 'manifest.json') : undefined;
        return { ...found, manifest: manifest && String(manifest.content) };
      },
    }),

    /** Exports of some ids, for loaders. */
    listOfIds: operation({
      name: 'export.listOfIds',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ ids: Type.Array(idOf('EvidenceExport'), { maxItems: 1_000 }) }),
      example: { ids: [example.exportId] },
      run: ({ tenant }, { ids: exports }, query) => store.listByIds(query, tenant, exports),
    }),

    /** The newest exports of some bundles, for loaders. */
    listOfBundles: operation({
      name: 'export.listOfBundles',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ bundleIds: Type.Array(idOf('EvidenceBundle'), { maxItems: 1_000 }) }),
      example: { bundleIds: [example.bundleId] },
      run: ({ tenant }, { bundleIds }, query) => store.listByBundles(query, tenant, bundleIds, SHOWN),
    }),

    download: operation({
      name: 'export.download',
      kind: 'read',
      scope: EXPORT_READ,
      input: exportInput,
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example,
      isDetached: true,
      cost: 0,
      async run({ tenant }, key) {
        const files = await filesOf(tenant, key);
        const manifest = files.get('manifest.json');
        const { entries } = readStoredManifest(manifest ? await text(manifest.bytes) : '');
        const { artifacts } = await contents.read(tenant, key.bundleId);
        const archive = { exportId: key.exportId, entries, files, artifacts: artifacts() };
        const reader = {
          open: async (storageKey: string, size: number) => (await objects.open(storageKey, size))?.bytes,
        };
        return {
          fileName: `${directoryOf(key.exportId)}.tar.gz`,
          gzip: explained(gzipOf(exportTar(archive, reader)), key.exportId),
        };
      },
    }),
  };
};
