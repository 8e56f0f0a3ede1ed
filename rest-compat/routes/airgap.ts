import type { AirGap } from '@landfall/airgap';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import * as schemas from '../views/airgap.schemas.ts';
import { projection } from '../views/projection.ts';

const common = { module: 'airgap', dialect: envelope } as const;

const statusView = projection(schemas.airGapStatus);

type Status = Awaited<ReturnType<AirGap['status']>>;

const showStatus = ({ tenant, mode, policyDigest, blockedReason, ...status }: Status) =>
  statusView({
    ...status,
    tenantId: tenant,
    mode: mode === 'sealed' ? 'Sealed' : 'Unsealed',
    policyHash: policyDigest,
    startupBlocked: blockedReason,
  });

/** Routes of the air-gap controller (spec 4.6). */
export const airgapRoutes = ({ status }: AirGap): readonly Route[] => [
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
];
