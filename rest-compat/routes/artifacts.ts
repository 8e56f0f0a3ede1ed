import type { Artifact, ArtifactStore } from '@landfall/artifacts';
import type { Caller } from '@landfall/kernel/core/caller';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, refuseRepeated, route } from '@landfall/kernel/routes/route';
import Type from 'typebox';
import * as schemas from '../views/artifacts.schemas.ts';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import { withFieldNames } from './field-names.ts';
import { input, limitOf } from './query-parameters.ts';
import { bytesOf, refuseEncoded, refuseLarge } from './streamed-body.ts';

const common = { module: 'artifacts', dialect: envelope } as const;

const PATH = '/api/v1/artifacts';

const artifactView = projection(schemas.artifact);
const pageView = projection(schemas.artifactPage);

/** Names of the query's parameters for the fields of the operations. */
const NAMES = {
  bomRef: 'bom_ref',
  serialNumber: 'serial_number',
  type: 'artifact_type',
  first: 'limit',
  after: 'continuation_token',
};

/** Whether browsers only show a media type, so that evidence of any sender is not run on this origin. */
const isJson = (mediaType: string): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(mediaType);

const listRoute = ({ artifacts }: ArtifactStore): Route =>
  route({
    ...common,
    method: 'GET',
    path: PATH,
    summary: 'Artifacts of a bom-ref, the newest first.',
    operation: withFieldNames(artifacts.list, NAMES),
    schemas: {
      query: Type.Object({
        bom_ref: Type.String(),
        serial_number: Type.Optional(Type.String()),
        from: Type.Optional(Type.String({ format: 'date-time' })),
        to: Type.Optional(Type.String({ format: 'date-time' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
        continuation_token: Type.Optional(Type.String()),
      }),
      response: { 200: schemas.artifactPage },
    },
    input: (request) => ({
      bomRef: input(request, 'bom_ref'),
      serialNumber: input(request, 'serial_number'),
      from: input(request, 'from'),
      to: input(request, 'to'),
      first: limitOf(input(request, 'limit') ?? '50'),
      after: input(request, 'continuation_token'),
    }),
    answer: ({ items, hasNextPage, tokenAfter }) => {
      const last = hasNextPage ? items.at(-1) : undefined;
      return json(200, pageView({ artifacts: items, continuationToken: last ? tokenAfter(last) : null }));
    },
  });

/** The body is the evidence itself, received as a stream. */
const putRoute = ({ artifacts, putStream, maxBytes }: ArtifactStore): Route => ({
  ...common,
  method: 'POST',
  path: PATH,
  accepts: 'stream',
  bodyLimit: maxBytes,
  summary:
    'Puts evidence: a bill of materials, VEX, a signed statement, any other bytes. The same evidence again is answered with 200.',
  operation: artifacts.receive.spec,
  cost: artifacts.receive.spec.cost,
  schemas: {
    query: Type.Object({
      bom_ref: Type.Optional(Type.String({ description: 'May be left out where the content names it.' })),
      serial_number: Type.Optional(Type.String()),
      artifact_type: Type.Optional(schemas.artifactType),
    }),
    response: { 200: schemas.artifact, 201: schemas.artifact },
  },
  handle: async (request) => {
    const caller = await request.caller();
    refuseRepeated(request, ['bom_ref', 'serial_number', 'artifact_type']);
    refuseEncoded(request);
    refuseLarge(request, maxBytes);
    const put = withFieldNames(
      Object.assign((who: Caller, given: unknown) => putStream(who, given, bytesOf(request)), artifacts.receive),
      NAMES,
    );
    const { artifact, isNew } = await put(caller, {
      bomRef: input(request, 'bom_ref'),
      serialNumber: input(request, 'serial_number'),
      type: input(request, 'artifact_type'),
    });
    const location = `${PATH}/${artifact.artifactId}`;
    return json(isNew ? 201 : 200, artifactView(artifact), { location });
  },
});

const contentRoute = ({ artifacts }: ArtifactStore): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${PATH}/:artifactId/content`,
    summary: 'The bytes of an artifact, hashed again while they are sent: an answer that ends early is not to be used.',
    operation: withFieldNames(artifacts.read, { id: 'artifactId' }),
    schemas: { params: Type.Object({ artifactId: uuid }), response: { 200: Type.Unsafe<Uint8Array>(Type.String()) } },
    input: ({ params }) => ({ id: params.artifactId }),
    answer: ({ artifactId, mediaType, sha256, size, stream }) => ({
      status: 200,
      headers: {
        'content-type': isJson(mediaType) ? mediaType : 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'content-length': String(size),
        'content-disposition': `attachment; filename="${artifactId}.json"`,
        'repr-digest': `sha-256=:${Buffer.from(sha256.slice('sha256:'.length), 'hex').toString('base64')}:`,
      },
      body: stream,
    }),
  });

const getRoute = ({ artifacts }: ArtifactStore): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${PATH}/:artifactId`,
    summary: 'An artifact of the index.',
    operation: withFieldNames(artifacts.get, { id: 'artifactId' }),
    schemas: { params: Type.Object({ artifactId: uuid }), response: { 200: schemas.artifact } },
    input: ({ params }) => ({ id: params.artifactId }),
    answer: (artifact: Artifact) => json(200, artifactView(artifact)),
  });

/** Routes of artifacts (spec 4.5); none unless the setting mounts them (rulings 9). */
export const artifactRoutes = (store: ArtifactStore): Route[] =>
  store.hasRetrieval ? [listRoute(store), putRoute(store), getRoute(store), contentRoute(store)] : [];
