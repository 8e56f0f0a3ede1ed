import { type ArtifactStore, type EvidenceExport, exportPathOf } from '@landfall/artifacts';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { type Answer, json, type Route, route } from '@landfall/kernel/routes/route';
import Type from 'typebox';
import * as schemas from '../views/evidence-exports.schemas.ts';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';

const common = { module: 'artifacts', dialect: envelope } as const;

const PATH = '/api/v1/bundles/:bundleId/export';

const params = Type.Object({ bundleId: uuid, exportId: uuid });

const jobView = projection(schemas.exportJob);
const exportView = projection(schemas.exportStatus);

/** Job that a client follows at its status URL. */
const accepted = (found: EvidenceExport): Answer => {
  const statusUrl = exportPathOf(found);
  return json(202, jobView({ ...found, exportId: found.id, statusUrl }), { location: statusUrl });
};

const requestRoute = ({ exports }: ArtifactStore): Route =>
  route({
    ...common,
    method: 'POST',
    path: PATH,
    summary: 'Requests an archive of an evidence bundle; one that is under way is answered again.',
    operation: exports.request,
    schemas: { params: Type.Object({ bundleId: uuid }), response: { 202: schemas.exportJob } },
    input: ({ params: { bundleId } }) => ({ bundleId }),
    answer: accepted,
  });

const statusRoute = ({ exports }: ArtifactStore): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${PATH}/:exportId`,
    summary: 'Status of an export: 202 until it is complete, then its manifest.',
    operation: exports.get,
    schemas: { params, response: { 200: schemas.exportStatus, 202: schemas.exportJob } },
    input: ({ params: { bundleId, exportId } }) => ({ bundleId, exportId }),
    answer: ({ manifest, ...found }) => {
      if (found.status === 'queued' || found.status === 'running') return accepted(found);
      const downloadUrl = manifest === undefined ? null : `${exportPathOf(found)}/download`;
      return json(
        200,
        exportView({
          ...found,
          exportId: found.id,
          downloadUrl,
          manifest: manifest === undefined ? null : JSON.parse(manifest),
        }),
      );
    },
  });

const downloadRoute = ({ exports }: ArtifactStore): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${PATH}/:exportId/download`,
    summary: 'The archive (tar, gzip) of a complete export. An answer that ends early is not to be used.',
    operation: exports.download,
    schemas: { params, response: { 200: Type.Unsafe<Uint8Array>(Type.String()) } },
    input: ({ params: { bundleId, exportId } }) => ({ bundleId, exportId }),
    answer: ({ fileName, gzip }) => ({
      status: 200,
      headers: {
        'content-type': 'application/gzip',
        'x-content-type-options': 'nosniff',
        'content-disposition': `attachment; filename="${fileName}"`,
      },
      body: gzip,
    }),
  });

/** Routes of evidence exports (spec 4.5). */
export const evidenceExportRoutes = (store: ArtifactStore): Route[] => [
  requestRoute(store),
  statusRoute(store),
  downloadRoute(store),
];
