import { problem } from '@landfall/kernel/routes/dialects/problem';
import { json, type Route, refuseRepeated, route } from '@landfall/kernel/routes/route';
import { DEFAULT_SBOM_LIMITS, findingCursor, type Scanner, scoreOf } from '@landfall/scanner';
import Type from 'typebox';
import { digest, uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/scanner.schemas.ts';
import { affectedView, findingView } from '../views/scanner.ts';
import { driftRoutes } from './drifts.ts';
import { withFieldNames } from './field-names.ts';
import { input, limitOf } from './query-parameters.ts';
import { scanVexRoute } from './scan-vex.ts';
import { bytesOf, refuseLarge } from './streamed-body.ts';
import { vexRoutes } from './vex.ts';

const common = { module: 'scanner', dialect: problem } as const;

const scanView = projection(schemas.scan);

const scanRoute = ({ scans }: Scanner): Route => {
  const get = withFieldNames(scans.get, { id: 'scanId' });
  return route({
    ...common,
    method: 'GET',
    path: '/api/v1/scans/:scanId',
    summary: 'A scan with its status, and its newest score.',
    operation: get,
    schemas: { params: Type.Object({ scanId: uuid }), response: { 200: schemas.scan } },
    input: ({ params }) => ({ id: params.scanId }),
    answer: (scan) => json(200, scanView({ ...scan, scanId: scan.id, score: scoreOf(scan) })),
  });
};

/** The body is received as a stream before the operation, whose input names it by its digest. */
const submissionRoute = ({ scans }: Scanner): Route => ({
  ...common,
  method: 'POST',
  path: '/api/v1/scans',
  accepts: 'stream',
  bodyLimit: DEFAULT_SBOM_LIMITS.bytes,
  summary:
    'Requests a scan of a bill of materials: CycloneDX or SPDX, also gzipped. The same bill of the same subject is the same scan, which is answered with 200.',
  operation: scans.create.spec,
  schemas: {
    query: Type.Object({
      imageDigest: Type.Optional(digest),
      name: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
    }),
    response: { 200: schemas.acceptedScan, 202: schemas.acceptedScan },
  },
  handle: async (request) => {
    const caller = await request.caller();
    refuseRepeated(request, ['imageDigest', 'name', 'version']);
    refuseLarge(request, DEFAULT_SBOM_LIMITS.bytes);
    const sbom = await scans.receive(caller, bytesOf(request));
    const { scan, isNew } = await scans.create(caller, {
      sbomDigest: sbom.digest,
      imageDigest: input(request, 'imageDigest'),
      name: input(request, 'name'),
      version: input(request, 'version'),
    });
    const statusUrl = `/api/v1/scans/${scan.id}`;
    return json(isNew ? 202 : 200, { scanId: scan.id, status: scan.status, statusUrl }, { location: statusUrl });
  },
});

const findingsRoute = ({ scans }: Scanner): Route => {
  const list = withFieldNames(scans.findings.current, { first: 'limit', after: 'cursor' });
  return route({
    ...common,
    method: 'GET',
    path: '/api/v2/security/findings',
    summary: 'Findings of the newest scan of each image.',
    operation: list,
    schemas: {
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
        cursor: Type.Optional(Type.String()),
      }),
      response: { 200: schemas.findingPage },
    },
    input: (request) => ({ first: limitOf(input(request, 'limit') ?? '50'), after: input(request, 'cursor') }),
    answer: ({ items, hasNextPage }) => {
      const last = hasNextPage ? items.at(-1) : undefined;
      return json(200, { items: items.map(findingView), nextCursor: last ? findingCursor(last) : null });
    },
  });
};

const affectedRoute = ({ scans }: Scanner): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/affected',
    summary:
      'Advisories that affect a version of a package, as a query of the OSV API: the version is that of the package URL, or the one beside it.',
    operation: scans.affected,
    schemas: {
      query: Type.Object({ purl: Type.String(), version: Type.Optional(Type.String()) }),
      response: { 200: schemas.affected },
    },
    input: (request) => ({ purl: input(request, 'purl'), version: input(request, 'version') }),
    answer: (found) => json(200, affectedView(found)),
  });

/** Routes of the scanner (spec 4.3). */
export const scannerRoutes = (scanner: Scanner): Route[] => [
  submissionRoute(scanner),
  scanRoute(scanner),
  findingsRoute(scanner),
  affectedRoute(scanner),
  ...driftRoutes(scanner),
  ...vexRoutes(scanner),
  scanVexRoute(scanner),
];
