import { Fault } from '@landfall/kernel/core/fault';

export const estateStates = ['unobserved', 'drift', 'in_sync'] as const;
export type EstateState = (typeof estateStates)[number];

interface ObservedState {
  /** Whether the target's own agent is online and reported this component within the last `OFFLINE_SECONDS`. */
  readonly isReporting: boolean;
  /** Last observation; null before the first one. */
  readonly seen: { readonly running: boolean; readonly digest: string | null } | null;
  /** Digests that may run; null if nothing landed. */
  readonly accepted: readonly string[] | null;
}

/**
 * Computes the estate state of a component (spec 3; docs/decisions/013-estate-states.md). `orchestrator.estate_state`
 * of 0005_estate.sql is the same rule in SQL; a property test compares the two.
 */
export const stateOf = ({ isReporting, seen: observation, accepted }: ObservedState): EstateState => {
  if (!observation || !isReporting) return 'unobserved';
  if (!observation.running) return 'drift';
  if (observation.digest === null) return 'unobserved';
  return accepted?.includes(observation.digest) ? 'in_sync' : 'drift';
};

interface Drift {
  readonly state: EstateState;
  /** Digest that runs; null if nothing runs or it is unknown. */
  readonly observedDigest: string | null;
  readonly deviation: { readonly id: string } | null;
}

/** Refuses to accept a deviation unless it is a drift, something runs, and nobody else accepted it. */
export const acceptRefusal = ({ state, observedDigest, deviation }: Drift): Fault | undefined => {
  if (state !== 'drift')
    return new Fault('RES_CONFLICT', 'Only a drift can be accepted.', { state, allowed: ['drift'] });
  if (observedDigest === null)
    return new Fault('RES_CONFLICT', 'Nothing runs there that could be accepted.', { state, allowed: [] });
  if (deviation)
    return new Fault('RES_CONFLICT', 'Somebody owns this drift already. Revoke that first.', {
      state,
      deviation: deviation.id,
      allowed: [],
    });
  return undefined;
};

export const revokeRefusal = ({ revokedAt }: { readonly revokedAt: Date | null }): Fault | undefined =>
  revokedAt === null
    ? undefined
    : new Fault('RES_CONFLICT', 'This deviation is revoked already.', { state: 'revoked', allowed: [] });
