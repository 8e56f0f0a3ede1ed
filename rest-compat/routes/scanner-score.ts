import { invalid } from '@landfall/kernel/core/fault';
import { problem } from '@landfall/kernel/routes/dialects/problem';
import { json, type Route, type RouteRequest, route } from '@landfall/kernel/routes/route';
import { type Scanner, scoreFields } from '@landfall/scanner';
import Type from 'typebox';
import { digest, uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/scanner-score.schemas.ts';
import { input } from './query-parameters.ts';

const common = { module: 'scanner', dialect: problem } as const;
const params = Type.Object({ scanId: uuid });

const replayView = projection(schemas.replayResponse);
const bundleView = projection(schemas.bundleResponse);
const verifyView = projection(schemas.verifyResponse);
const historyView = projection(schemas.history);
const explanationView = projection(schemas.explanation);

/** A request's canonical input repeats the findings of the scan. */
const VERIFY_LIMIT = 32 * 1024 * 1024;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Input of an operation on a scan: the body's fields and the scan of the path.
 * @throws Fault VAL_SCHEMA_MISMATCH for a body that is no object
 */
const inputOf = ({ body = {}, params: { scanId } }: RouteRequest): Readonly<Record<string, unknown>> => {
  if (!isObject(body))
    throw invalid([{ field: '', message: 'The body is not an object.', code: 'VAL_SCHEMA_MISMATCH' }]);
  return { ...body, scanId };
};

/** Refuses a body that names the scan, which belongs to the path: no other fields are accepted (spec 2.4). */
const replayInputOf = (request: RouteRequest): Readonly<Record<string, unknown>> => {
  if (isObject(request.body) && 'scanId' in request.body)
    throw invalid([{ field: 'scanId', message: 'is not a field here', code: 'VAL_SCHEMA_MISMATCH' }]);
  return inputOf(request);
};

const replayRoute = ({ replays }: Scanner, base: string): Route =>
  route({
    ...common,
    method: 'POST',
    path: `${base}/replay`,
    summary: 'Scores a frozen scan again and writes its proof bundle: the same scan and time give the same root.',
    operation: replays.replay,
    schemas: { params, body: schemas.replayRequest, response: { 200: schemas.replayResponse } },
    input: replayInputOf,
    answer: (replayed) =>
      json(200, replayView({ ...replayed, ...scoreFields(replayed), bundleUri: replayed.bundlePath })),
  });

const bundleRoute = ({ proofs }: Scanner, base: string): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${base}/bundle`,
    summary: 'The proof bundle with a root, or the newest of the scan.',
    operation: proofs.bundle,
    schemas: {
      params,
      query: Type.Object({ rootHash: Type.Optional(digest) }),
      response: { 200: schemas.bundleResponse },
    },
    input: (request) => ({ scanId: request.params.scanId, rootHash: input(request, 'rootHash') }),
    answer: (bundle) => json(200, bundleView({ ...bundle, bundleUri: bundle.path })),
  });

const verifyRoute = ({ proofs }: Scanner, base: string): Route =>
  route({
    ...common,
    method: 'POST',
    path: `${base}/verify`,
    summary: 'Verifies a proof bundle: its signature, its ledger, its root. A bundle that does not verify is no error.',
    operation: proofs.verify,
    bodyLimit: VERIFY_LIMIT,
    schemas: { params, body: schemas.verifyRequest, response: { 200: schemas.verifyResponse } },
    input: inputOf,
    answer: (verification) => json(200, verifyView(verification)),
  });

const historyRoute = ({ replays }: Scanner, base: string): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${base}/history`,
    summary: 'Replays of the scan, the newest first: those of this process, or all by the setting ScoreReplay:History.',
    operation: replays.history,
    schemas: { params, response: { 200: schemas.history } },
    input: ({ params: { scanId } }) => ({ scanId }),
    answer: (replayed) => json(200, historyView(replayed.map((each) => ({ ...each, ...scoreFields(each) })))),
  });

/** Canonical form of the score routes, and the legacy alias with the same behaviour. */
const BASES = ['/api/v1/scans/:scanId/score', '/api/v1/score/:scanId'];

const explainRoute = ({ replays }: Scanner): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/score/explain/:digest',
    summary: 'The score of the newest scan of an image, by its factors.',
    operation: replays.explain,
    schemas: { params: Type.Object({ digest }), response: { 200: schemas.explanation } },
    input: ({ params: { digest: imageDigest } }) => ({ digest: imageDigest }),
    answer: (explained) => json(200, explanationView({ ...explained, ...scoreFields(explained) })),
  });

/** Routes of the score (spec 4.3), which are mapped only when ScoreReplay:Enabled is true, and its explanation. */
export const scannerScoreRoutes = (scanner: Scanner): Route[] => [
  ...(scanner.hasScoreRoutes ? BASES : []).flatMap((base) => [
    replayRoute(scanner, base),
    bundleRoute(scanner, base),
    verifyRoute(scanner, base),
    historyRoute(scanner, base),
  ]),
  explainRoute(scanner),
];
