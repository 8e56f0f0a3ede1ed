import { Fault } from '@landfall/kernel/core/fault';

export const estateStates = ['unobserved', 'drift', 'in_sync'] as const;
export type EstateState = (typeof estateStates)[number];

interface Sight {
  /** The target's own agent is there, and told of this component within the last `OFFLINE_SECONDS`. */
  readonly isReporting: boolean;
  /** Digest that was observed last; null before the first observation. */
  readonly seen: { readonly running: boolean; readonly digest: string | null } | null;
  /** The digests that may run; null where nothing landed. */
  readonly accepted: readonly string[] | null;
}

/**
 * The rule of the estate (spec 3; docs/decisions/013-estate-states.md). `orchestrator.estate_state` of 0005_estate.sql says the
 * same to PostgreSQL, and a property test holds the two together.
 */
export const stateOf = ({ isReporting, seen, accepted }: Sight): EstateState => {
  if (!seen || !isReporting) return 'unobserved';
  if (!seen.running) return 'drift';
  if (seen.digest === null) return 'unobserved';
  return accepted?.includes(seen.digest) ? 'in_sync' : 'drift';
};

interface Drift {
  readonly state: EstateState;
  /** Digest that runs there; null where nothing runs or it is unknown. */
  readonly observedDigest: string | null;
  readonly deviation: { readonly id: string } | null;
}

/** Only a drift is accepted, only one that runs something, and only by one owner at a time. */
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
