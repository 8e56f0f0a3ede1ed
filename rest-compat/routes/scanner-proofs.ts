import { Fault } from '@landfall/kernel/core/fault';
import type { Operation } from '@landfall/kernel/operation/operation';
import { problem } from '@landfall/kernel/routes/dialects/problem';
import { type Answer, json, type Route, type RouteRequest, route } from '@landfall/kernel/routes/route';
import {
  manifestDocument,
  manifestHashes,
  type ProofBundle,
  type Scanner,
  type StoredManifest,
} from '@landfall/scanner';
import Type from 'typebox';
import { digest, uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/scanner-score.schemas.ts';

const common = { module: 'scanner', dialect: problem, method: 'GET' } as const;
const DSSE = 'application/dsse+json';

const manifestView = projection(schemas.manifest);
const proofView = projection(schemas.proof);
const proofsView = projection(schemas.proofs);

/** Bundle whose end is absent where it has none. */
const present = ({ expiresAt, ...bundle }: ProofBundle) => ({ ...bundle, ...(expiresAt && { expiresAt }) });

/** Wraps an operation so that an id of no possible form is one that is not there (rulings 61). */
const findingNothing = <Value>(operation: Operation<Value>): Operation<Value> => {
  const call: (...given: Parameters<Operation<Value>>) => Promise<Value> = async (...given) => {
    try {
      return await operation(...given);
    } catch (error) {
      if (error instanceof Fault && error.status === 400)
        throw new Fault('RES_NOT_FOUND', 'There is nothing with this id.', undefined, [], { cause: error });
      throw error;
    }
  };
  return Object.assign(call, { spec: operation.spec });
};

/** Whether a request accepts the envelope: the type is named, and not by a quality of 0 (RFC 9110 12.5.1). */
const wantsEnvelope = ({ headers: { accept } }: RouteRequest): boolean =>
  String(accept ?? '')
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      return type === DSSE && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });

const manifestAnswer = (stored: StoredManifest, request: RouteRequest): Answer => {
  // Another form of the same address, so caches must tell them apart.
  const vary = { vary: 'accept' };
  if (wantsEnvelope(request))
    return { status: 200, headers: { 'content-type': DSSE, ...vary }, body: `{"envelope":${stored.envelope}}` };
  const manifest = manifestDocument(stored);
  const { manifestDigest } = stored;
  return json(200, manifestView({ ...manifest, ...manifestHashes(manifest), manifestDigest }), vary);
};

/** Routes of manifests and proof bundles (spec 4.3). */
export const scannerProofRoutes = ({ manifests, proofs }: Scanner): Route[] => {
  const getManifest = findingNothing(manifests.get);
  const listProofs = findingNothing(proofs.list);
  const getProof = findingNothing(proofs.get);
  return [
    route({
      ...common,
      path: '/api/v1/scans/:scanId/manifest',
      summary: 'What a scan was made from, by hash; with `Accept: application/dsse+json` its signed envelope.',
      operation: getManifest,
      schemas: { params: Type.Object({ scanId: uuid }), response: { 200: schemas.manifest } },
      input: ({ params: { scanId } }) => ({ scanId }),
      answer: manifestAnswer,
    }),
    route({
      ...common,
      path: '/api/v1/scans/:scanId/proofs',
      summary: 'Proof bundles of a scan, the newest first.',
      operation: listProofs,
      schemas: { params: Type.Object({ scanId: uuid }), response: { 200: schemas.proofs } },
      input: ({ params: { scanId } }) => ({ scanId }),
      answer: (items) => json(200, proofsView({ items: items.map(present) })),
    }),
    route({
      ...common,
      path: '/api/v1/scans/:scanId/proofs/:rootHash',
      summary: 'The proof bundle with a root: metadata only.',
      operation: getProof,
      schemas: { params: Type.Object({ scanId: uuid, rootHash: digest }), response: { 200: schemas.proof } },
      input: ({ params: { scanId, rootHash } }) => ({ scanId, rootHash }),
      answer: (proof) => json(200, proofView(present(proof))),
    }),
  ];
};
