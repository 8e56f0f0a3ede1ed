import { encodeCursor } from '@landfall/kernel/operation/page';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import type { Orchestrator } from '@landfall/orchestrator';
import Type from 'typebox';
import * as schemas from '../views/orchestrator.schemas.ts';
import {
  deploymentView,
  digestView,
  driftView,
  estateStatusView,
  planView,
  preflightView,
  releaseView,
} from '../views/orchestrator.ts';
import { digest, uuid } from '../views/parts.ts';
import { withFieldNames } from './field-names.ts';
import { input, limitOf } from './query-parameters.ts';

const BASE = '/api/v1/release-orchestrator';

const common = { method: 'GET', module: 'orchestrator', dialect: envelope } as const;

const deploymentRoute = ({ deployments }: Orchestrator): Route =>
  route({
    ...common,
    path: `${BASE}/deployments/:id`,
    summary: 'A deployment with its phases, targets, failure anatomy and landing.',
    operation: deployments.get,
    schemas: { params: Type.Object({ id: uuid }), response: { 200: schemas.deployment } },
    input: ({ params }) => ({ id: params.id }),
    answer: (deployment) => json(200, deploymentView(deployment)),
  });

const releaseListRoute = ({ releases }: Orchestrator): Route => {
  const list = withFieldNames(releases.list, { first: 'limit', after: 'cursor', 'filter.status': 'status' });
  return route({
    ...common,
    path: `${BASE}/releases`,
    summary: 'Releases, newest first.',
    operation: list,
    schemas: {
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
        cursor: Type.Optional(Type.String()),
        status: Type.Optional(Type.Enum(['draft', 'finalized', 'ready', 'deprecated'])),
      }),
      response: { 200: schemas.releasePage },
    },
    input: (request) => ({
      first: limitOf(input(request, 'limit') ?? '50'),
      after: input(request, 'cursor'),
      filter: { status: input(request, 'status')?.toLowerCase() },
    }),
    answer: ({ items, hasNextPage }) => {
      const last = hasNextPage ? items.at(-1) : undefined;
      return json(200, { items: items.map(releaseView), nextCursor: last ? encodeCursor(last.id) : null });
    },
  });
};

const releaseRoute = ({ releases }: Orchestrator): Route => {
  const get = withFieldNames(releases.get, { id: 'releaseId' });
  return route({
    ...common,
    path: `${BASE}/releases/:releaseId`,
    summary: 'A release with its components and evidence.',
    operation: get,
    schemas: { params: Type.Object({ releaseId: uuid }), response: { 200: schemas.release } },
    input: ({ params }) => ({ id: params.releaseId }),
    answer: (release) => json(200, releaseView(release)),
  });
};

const launchRoutes = ({ deployments }: Orchestrator): Route[] => [
  route({
    ...common,
    path: `${BASE}/releases/:releaseId/deploy-preflight`,
    summary: 'Whether a release can be deployed: four checks, each with its anatomy when it fails.',
    operation: deployments.preflight,
    schemas: {
      params: Type.Object({ releaseId: uuid }),
      query: Type.Object({ environmentId: Type.Optional(uuid) }),
      response: { 200: schemas.preflightReport },
    },
    input: (request) => ({ releaseId: request.params.releaseId, environmentId: input(request, 'environmentId') }),
    answer: (report) => json(200, preflightView(report)),
  }),
  route({
    ...common,
    path: `${BASE}/releases/:releaseId/deploy-plan`,
    summary: 'Plan of a launch, by the planner that launches.',
    operation: deployments.previewPlan,
    schemas: {
      params: Type.Object({ releaseId: uuid }),
      query: Type.Object({
        strategy: Type.Optional(Type.Enum(['rolling', 'all_at_once', 'blue_green', 'canary'])),
        environmentId: Type.Optional(uuid),
      }),
      response: { 200: schemas.strategyPlan },
    },
    input: (request) => ({
      releaseId: request.params.releaseId,
      environmentId: input(request, 'environmentId'),
      strategy: input(request, 'strategy')?.toLowerCase(),
    }),
    answer: (preview) => json(200, planView(preview)),
  }),
];

/** `inSync`, however it is spelled (rulings 30), as the domain has it: `in_sync`. */
const domainState = (state: string | undefined): string | undefined =>
  state?.toLowerCase().replace(/^insync$/, 'in_sync');

const estateRoutes = ({ estate }: Orchestrator): Route[] => [
  route({
    ...common,
    path: `${BASE}/estate/status`,
    summary: 'Counts of components by their observed against their approved digest.',
    operation: estate.status,
    schemas: { response: { 200: schemas.estateStatus } },
    input: () => ({}),
    answer: (status) => json(200, estateStatusView(status)),
  }),
  route({
    ...common,
    path: `${BASE}/estate/drift`,
    summary: 'Components that are not in sync, or of the state asked for; unobserved first.',
    operation: withFieldNames(
      estate.drift,
      {
        first: 'limit',
        after: 'cursor',
        'filter.state': 'state',
        'filter.environmentId': 'environmentId',
      },
      { in_sync: 'inSync' },
    ),
    schemas: {
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
        cursor: Type.Optional(Type.String()),
        state: Type.Optional(Type.Enum(['inSync', 'drift', 'unobserved'])),
        environmentId: Type.Optional(uuid),
      }),
      response: { 200: schemas.estateDrift },
    },
    input: (request) => ({
      first: limitOf(input(request, 'limit') ?? '50'),
      after: input(request, 'cursor'),
      filter: { state: domainState(input(request, 'state')), environmentId: input(request, 'environmentId') },
    }),
    answer: ({ items, nextCursor }) => json(200, driftView({ items, nextCursor })),
  }),
  route({
    ...common,
    path: `${BASE}/estate/running-images`,
    summary: 'Digests that run now on some target, in byte order: as observed, and as approved.',
    operation: withFieldNames(estate.running, { first: 'limit', after: 'cursor' }),
    schemas: {
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000, default: 5_000 })),
        cursor: Type.Optional(digest),
      }),
      response: { 200: schemas.runningImages },
    },
    input: (request) => ({ first: limitOf(input(request, 'limit')), after: input(request, 'cursor') }),
    answer: ({ items, hasNextPage }) => json(200, { items, nextCursor: (hasNextPage && items.at(-1)) || null }),
  }),
  route({
    ...common,
    path: `${BASE}/estate/digest/:digest`,
    summary: 'Targets that run a digest, and the releases that contain it.',
    operation: estate.digest,
    schemas: { params: Type.Object({ digest: digest }), response: { 200: schemas.estateDigest } },
    input: ({ params }) => ({ digest: params.digest }),
    answer: (found) => json(200, digestView(found)),
  }),
];

/** Read routes of the release orchestrator (spec 4.9). */
export const orchestratorRoutes = (orchestrator: Orchestrator): Route[] => [
  deploymentRoute(orchestrator),
  ...launchRoutes(orchestrator),
  ...estateRoutes(orchestrator),
  releaseListRoute(orchestrator),
  releaseRoute(orchestrator),
];
