import type { AirGap } from '@landfall/airgap';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, type RouteRequest, route } from '@landfall/kernel/routes/route';
import Type from 'typebox';
import * as schemas from '../views/airgap.schemas.ts';
import { projection } from '../views/projection.ts';
import { input } from './query-parameters.ts';

const common = { module: 'airgap', dialect: envelope } as const;

const statusView = projection(schemas.airGapStatus);
const verificationView = projection(schemas.verification);
const timeView = projection(schemas.timeStatus);

type Status = Awaited<ReturnType<AirGap['status']>>;
type Time = Awaited<ReturnType<AirGap['time']['status']>>;

const bodyOf = ({ body }: RouteRequest): object => (typeof body === 'object' && body !== null ? body : {});

const showStatus = ({ tenant, mode, policyDigest, blockedReason, ...status }: Status) =>
  statusView({
    ...status,
    tenantId: tenant,
    mode: mode === 'sealed' ? 'Sealed' : 'Unsealed',
    policyHash: policyDigest,
    startupBlocked: blockedReason,
  });

const WIRE = { rfc3161: 'rfc3161', operator_dsse: 'operator-dsse' } as const;

const showTime = ({ tenant, anchor, ...time }: Time) =>
  timeView({
    ...time,
    tenantId: tenant,
    anchor: anchor && { ...anchor, source: WIRE[anchor.source], future: anchor.isFuture },
  });

/** Source of an anchor as the operation names it; another word is left to its check. */
const sourceOf = (body: object): unknown =>
  'source' in body && body.source === WIRE.operator_dsse ? 'operator_dsse' : Reflect.get(body, 'source');

/** Tenants that a request names in its query and its body. */
const tenantsOf = (request: RouteRequest, body: object): readonly unknown[] =>
  [input(request, 'tenantId'), Reflect.get(body, 'tenantId')].filter((tenant) => tenant !== undefined);

const controllerRoutes = ({ status, seal, verify }: AirGap): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/system/airgap/status',
    summary: 'State of the air gap of the tenant.',
    operation: status,
    schemas: { response: { 200: schemas.airGapStatus } },
    input: () => ({}),
    answer: (found) => json(200, showStatus(found)),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/system/airgap/seal',
    summary: 'Seals the tenant’s environment, by its policy or the one that is sent along.',
    operation: seal.seal,
    schemas: { body: schemas.sealRequest, response: { 200: schemas.airGapStatus } },
    input: bodyOf,
    answer: (found) => json(200, showStatus(found)),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/system/airgap/unseal',
    summary: 'Ends the seal of the tenant’s environment.',
    operation: seal.unseal,
    schemas: { body: schemas.unsealRequest, response: { 200: schemas.airGapStatus } },
    input: bodyOf,
    answer: (found) => json(200, showStatus(found)),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/system/airgap/verify',
    summary: 'Re-hashes the policy, the active kits and the time anchor, and changes nothing.',
    operation: verify,
    schemas: { response: { 200: schemas.verification } },
    input: () => ({}),
    answer: (found) => json(200, verificationView(found)),
  }),
];

const timeRoutes = ({ time }: AirGap): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/time/status',
    summary: 'Trusted time of the tenant, its anchor, the challenge for the next one, and the ages of content.',
    operation: time.status,
    schemas: { response: { 200: schemas.timeStatus } },
    input: () => ({}),
    answer: (found) => json(200, showTime(found)),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/api/v1/time/anchor',
    summary: 'Accepts a time anchor over the current challenge.',
    operation: time.setAnchor,
    schemas: {
      query: Type.Object({ tenantId: Type.Optional(Type.String()) }),
      body: schemas.anchorRequest,
      response: { 200: schemas.timeStatus },
    },
    input: (request) => {
      const body = bodyOf(request);
      const { tenantId: _, ...given } = { tenantId: undefined, ...body };
      return { ...given, source: sourceOf(body), tenantIds: tenantsOf(request, body) };
    },
    answer: (found) => json(200, showTime(found)),
  }),
];

/** Routes of the air-gap controller and the time service (spec 4.6). */
export const airgapRoutes = (airgap: AirGap): readonly Route[] => [...controllerRoutes(airgap), ...timeRoutes(airgap)];
