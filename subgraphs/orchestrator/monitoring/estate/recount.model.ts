import { OFFLINE_SECONDS } from '../../catalogue/agents/liveness.ts';
import { type EstateState, stateOf } from './estate-rule.ts';

/** Model of the estate after a history of steps, without SQL, by which the test checks the counts of statements. */
export interface EstateModel {
  readonly targets: readonly TargetFacts[];
  readonly agents: readonly AgentFacts[];
  readonly deviations: readonly DeviationFacts[];
}

export interface TargetFacts {
  readonly id: string;
  readonly environment: string;
  agent: string;
  isEnabled: boolean;
  /** Gated digest and accepted digests, by component. */
  approved: ReadonlyMap<string, { readonly digest: string; readonly accepted: readonly string[] }>;
  /** Last observation by component: digest, agent and time. */
  readonly seen: Map<string, ObservedState>;
}

interface ObservedState {
  readonly agent: string;
  readonly running: boolean;
  readonly digest: string | null;
  /** Time of the report in seconds. */
  readonly toldAt: number;
}

export interface AgentFacts {
  readonly id: string;
  /** Time of the last heartbeat in seconds. */
  heartbeatAt: number;
}

interface DeviationFacts {
  readonly id: string;
  readonly target: string;
  readonly component: string;
  readonly digest: string;
  /** Time of expiry in seconds. */
  readonly expiresAt: number;
  isRevoked: boolean;
}

interface Counted {
  readonly target: string;
  readonly environment: string;
  readonly component: string;
  readonly state: EstateState;
  readonly approvedDigest: string | null;
  readonly observedDigest: string | null;
  readonly accepted: readonly string[];
  readonly deviation: string | null;
}

const isHeard = ({ heartbeatAt }: AgentFacts, now: number): boolean => now - heartbeatAt < OFFLINE_SECONDS;

const acceptedDeviations = ({ targets, deviations }: EstateModel, now: number): DeviationFacts[] =>
  deviations.filter(
    ({ isRevoked, expiresAt, target }) =>
      !isRevoked && expiresAt > now && targets.some(({ id, isEnabled }) => id === target && isEnabled),
  );

/** Lists every component of every enabled target. */
export const components = (model: EstateModel, now: number): Counted[] =>
  model.targets
    .filter(({ isEnabled }) => isEnabled)
    .flatMap(({ id, environment, agent, approved, seen: observed }) =>
      [...new Set([...approved.keys(), ...observed.keys()])].map((component): Counted => {
        const known = approved.get(component);
        const observation = observed.get(component);
        const own = model.agents.find((each) => each.id === agent);
        const isReporting =
          own !== undefined &&
          isHeard(own, now) &&
          observation?.agent === agent &&
          now - observation.toldAt < OFFLINE_SECONDS;
        const state = stateOf({ isReporting, seen: observation ?? null, accepted: known?.accepted ?? null });
        const observedDigest = observation?.running ? observation.digest : null;
        const owned = acceptedDeviations(model, now).find(
          (each) => each.target === id && each.component === component && each.digest === observedDigest,
        );
        return {
          target: id,
          environment,
          component,
          state,
          approvedDigest: known?.digest ?? null,
          observedDigest,
          accepted: known?.accepted ?? [],
          deviation: state === 'drift' ? (owned?.id ?? null) : null,
        };
      }),
    );

/** Computes the figures of `estate/status`. */
export const recount = (model: EstateModel, now: number) => {
  const all = components(model, now);
  const inState = (expected: EstateState): number => all.filter(({ state }) => state === expected).length;
  const serving = model.agents.filter(({ id }) => model.targets.some((each) => each.isEnabled && each.agent === id));
  return {
    deployedComponents: all.filter(({ approvedDigest }) => approvedDigest !== null).length,
    total: inState('drift') + inState('in_sync') + inState('unobserved'),
    drift: inState('drift'),
    inSync: inState('in_sync'),
    unobserved: inState('unobserved'),
    observingAgents: serving.filter((agent) => isHeard(agent, now)).length,
    agents: serving.length,
    deviations: acceptedDeviations(model, now).length,
  };
};
