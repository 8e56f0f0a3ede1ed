import type { AirGap } from '@landfall/airgap';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import Type from 'typebox';
import * as schemas from '../views/airgap-transfers.schemas.ts';
import { projection } from '../views/projection.ts';
import { input as parameter } from './query-parameters.ts';

const common = { module: 'airgap', dialect: envelope } as const;

const statusView = projection(schemas.offlineKitStatus);
const mirrorView = projection(schemas.mirrorStatus);

type Status = Awaited<ReturnType<AirGap['kits']['status']>>;

const showStatus = ({ tenant, root, kits }: Status) =>
  statusView({
    tenantId: tenant,
    root: root && { ...root.value, digest: root.digest, installedAt: root.installedAt },
    kits: kits.map(({ manifest, ...kit }) => ({ ...manifest, ...kit, components: manifest.components.length })),
  });

/** Routes of what a site without a network receives: offline kits (spec 4.3) and mirrors (spec 4.6). */
export const airgapTransferRoutes = ({ kits, mirrors }: AirGap): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/offline-kit/status',
    summary: 'Root of kits, and the kits of the tenant that are in force.',
    operation: kits.status,
    schemas: { response: { 200: schemas.offlineKitStatus } },
    input: () => ({}),
    answer: (found) => json(200, showStatus(found)),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/offline-kit/manifest',
    summary: 'Signed manifest of the kit that is in force in a channel.',
    operation: kits.manifest,
    schemas: {
      query: Type.Object({ channel: Type.Optional(Type.String({ description: '`main` unless given.' })) }),
      response: { 200: schemas.offlineKitManifest },
    },
    input: (request) => ({ channel: parameter(request, 'channel') }),
    // As it was signed: a reader may verify the signature over these very fields.
    answer: (manifest) => json(200, manifest),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/api/v1/advisory-sources/mirror/import',
    summary: 'Queues the import of a mirror of an advisory source.',
    operation: mirrors.request,
    schemas: { body: schemas.mirrorRequest, response: { 202: schemas.mirrorStatus } },
    input: ({ body }) => body,
    answer: (source) => json(202, mirrorView(source)),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/advisory-sources/mirror/import/status',
    summary: 'Newest import of a mirror, of one source or of all.',
    operation: mirrors.status,
    schemas: {
      query: Type.Object({ sourceId: Type.Optional(Type.String()) }),
      response: { 200: schemas.mirrorStatus },
    },
    input: (request) => ({ sourceId: parameter(request, 'sourceId') }),
    answer: (source) => json(200, mirrorView(source)),
  }),
];
