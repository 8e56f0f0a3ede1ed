import { hasTenant } from '../core/caller.ts';
import { Fault } from '../core/fault.ts';
import type { LoadedPolicies } from '../egress/loaded-policies.ts';
import type { CallerReader } from './operation.ts';

/** Scopes of what repairs the block, or lets people in to do it. */
const EXEMPT = /^(airgap|authority):/;

/**
 * Creates the reader of callers that refuses changes of a tenant whose start while sealed was blocked (proofs 8.1). Reads,
 * agents, workers, the authority and the air gap go on.
 * @throws Fault airgap_startup_blocked
 */
export const createStartGate =
  (policies: Pick<LoadedPolicies, 'of'>): CallerReader =>
  (caller, { scope, kind }) => {
    const isPerson = caller.kind === 'user' || caller.kind === 'client';
    if (kind === 'read' || !isPerson || !hasTenant(caller) || scope.some((each) => EXEMPT.test(each))) return caller;
    const reason = policies.of(caller.tenant)?.blockedReason ?? null;
    // A caller without the scope is refused for that.
    if (reason === null || !scope.some((each) => caller.scopes.has(each))) return caller;
    throw new Fault(
      'airgap_startup_blocked',
      `${caller.tenant} was sealed without a usable time anchor when the service started (${reason}). Set a time anchor, or unseal it.`,
      { reason },
    );
  };
