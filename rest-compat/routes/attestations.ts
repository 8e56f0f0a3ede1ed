import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { type Answer, json, protocolRoute, type Route, route } from '@landfall/kernel/routes/route';
import type { Orchestrator } from '@landfall/orchestrator';
import Type from 'typebox';
import * as schemas from '../views/attestations.schemas.ts';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';

const BASE = '/api/v1/release-orchestrator';

const common = { module: 'orchestrator', dialect: envelope } as const;

/** Twice the largest bundle: as text inside JSON its quotes are escaped. */
const VERIFY_LIMIT = 10 * 1024 * 1024;

const isDocument = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The graph's input: a bundle is text there, and an index a string of digits. */
const request = (body: unknown): unknown => {
  if (!isDocument(body)) return body;
  const { bundle, logIndex } = body;
  return {
    ...body,
    ...(isDocument(bundle) && { bundle: JSON.stringify(bundle) }),
    ...(typeof logIndex === 'number' && { logIndex: String(logIndex) }),
  };
};

const verificationView = projection(schemas.verification);

const verifyRoute = ({ verifications }: Orchestrator): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/api/v1/rekor/verify',
    summary:
      'Verifies a statement: by its reference, as a Sigstore bundle, or as an entry of the log; exactly one of them.',
    operation: verifications.verify,
    schemas: { body: schemas.verifyRequest, response: { 200: schemas.verification } },
    bodyLimit: VERIFY_LIMIT,
    input: ({ body }) => request(body),
    answer: ({ found, verifiedAt }) => {
      const { log = null, signedAt = null, errorMessage = null } = found;
      return json(200, verificationView({ ...found, log, signedAt, errorMessage, verifiedAt }));
    },
  });

type Archive = Awaited<ReturnType<Orchestrator['packages']['ofRelease']>>;

const archive = ({ fileName, tar }: Archive): Answer => ({
  status: 200,
  headers: {
    'content-type': 'application/x-tar',
    'content-disposition': `attachment; filename="${fileName}"`,
  },
  body: tar,
});

const packageRoutes = ({ packages }: Orchestrator): Route[] => [
  route({
    ...common,
    method: 'GET',
    path: `${BASE}/attestations/:ref/package`,
    summary: 'An archive (tar) of a statement with its proof, keys and the commands that check it.',
    operation: packages.ofAttestation,
    schemas: { params: Type.Object({ ref: uuid }), response: { 200: Type.String() } },
    input: ({ params }) => ({ ref: params.ref }),
    answer: archive,
  }),
  route({
    ...common,
    method: 'GET',
    path: `${BASE}/releases/:releaseId/custody-package`,
    summary: 'An archive (tar) of every statement about a release, each with its proof, keys and commands.',
    operation: packages.ofRelease,
    schemas: { params: Type.Object({ releaseId: uuid }), response: { 200: Type.String() } },
    input: ({ params }) => ({ releaseId: params.releaseId }),
    answer: archive,
  }),
];

/** Public keys and nothing else: a stranger has to verify without an account here. */
const open = { ...common, method: 'GET', isPublic: true } as const;

const document = (text: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
  body: text,
});

const trustRoutes = ({ trust }: Orchestrator): Route[] => [
  protocolRoute({
    ...open,
    path: '/tlog/trust.json',
    summary:
      'Trust document to verify statements with: the Sigstore trusted root, and the signing keys with their periods.',
    schemas: { response: { 200: Type.Record(Type.String(), Type.Unknown()) } },
    handle: async () => document((await trust.documents()).trust),
  }),
  protocolRoute({
    ...open,
    path: '/tlog/trusted_root.json',
    summary: 'The Sigstore trusted root alone, for clients that bring the signing key themselves.',
    schemas: { response: { 200: Type.Record(Type.String(), Type.Unknown()) } },
    handle: async () => document((await trust.documents()).trustedRoot),
  }),
  protocolRoute({
    ...open,
    path: '/tlog/signing_config.json',
    summary:
      'The Sigstore signing configuration: the log that takes signatures, and timestamp authorities that answer.',
    schemas: { response: { 200: Type.Record(Type.String(), Type.Unknown()) } },
    handle: async () => document((await trust.documents()).signingConfig),
  }),
];

/** Routes that verify statements and download packages (spec 4.9). */
export const attestationRoutes = (orchestrator: Orchestrator): Route[] => [
  verifyRoute(orchestrator),
  ...packageRoutes(orchestrator),
  ...trustRoutes(orchestrator),
];
