import type { TenantId } from '@landfall/kernel/core/ids';
import { type EgressState, find } from '@landfall/kernel/egress/policies.store';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { AIRGAP_READ } from '../shared/scopes.ts';

/** State of a tenant that never set a policy. */
const UNSET = {
  version: 0,
  mode: 'unsealed',
  policy: null,
  policyDigest: null,
  reason: null,
  changedBy: null,
  changedAt: null,
  sealedAt: null,
  anchorDigest: null,
  blockedReason: null,
} as const;

/** State of the air gap of a tenant. */
export type AirGapStatus = { readonly tenant: string } & (typeof UNSET | Omit<EgressState, 'tenant'>);

/** Status of a tenant, which has no state before its first policy. */
export const statusOf = (tenant: TenantId, state: EgressState | undefined): AirGapStatus => ({
  ...(state ?? UNSET),
  tenant,
});

/** Creates the operation that reads the state of the air gap. */
export const createStatus = ({ operation }: Pick<Deps, 'operation'>) =>
  operation({
    name: 'airGap.status',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({}),
    run: async ({ tenant }, _input, query) => statusOf(tenant, await find(query, tenant)),
  });
