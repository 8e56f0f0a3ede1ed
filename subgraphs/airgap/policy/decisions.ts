import { listDestinations } from '@landfall/kernel/egress/decisions.store';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { AIRGAP_READ } from '../shared/scopes.ts';

/** Creates the operation that lists egress decisions of the last 30 days, added up by destination and feature. */
export const createDecisions = ({ operation }: Pick<Deps, 'operation'>) =>
  operation({
    name: 'egressDecision.list',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({
      blockedOnly: Type.Optional(Type.Boolean()),
      first: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    }),
    run: ({ tenant }, { blockedOnly: isBlocked = false, first: limit = 50 }, query) =>
      listDestinations(query, tenant, { isBlocked, limit }),
  });
