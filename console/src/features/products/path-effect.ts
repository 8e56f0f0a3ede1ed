import type { EvidenceType, SeparationOfDuties, StepNeed } from '../../generated/operations.ts';
import type { DraftStep } from './path-draft.ts';
import { cycleOf, passedBefore } from './path-edges.ts';

/** Settings of an environment that a step may make stricter. */
interface Guarded {
  readonly id: string;
  readonly requiredApprovals: number;
  readonly separationOfDuties: SeparationOfDuties;
  readonly requiredEvidence: readonly EvidenceType[];
}

/** Conditions of a step as they apply: those of the path, and the stricter of its policy and its environment's. */
export interface Conditions {
  readonly after: readonly string[];
  readonly need: StepNeed;
  readonly labels: string;
  readonly approvals: number;
  readonly duties: SeparationOfDuties;
  readonly evidence: readonly EvidenceType[];
}

export type Condition = keyof Conditions;

const CONDITIONS = [
  'after',
  'need',
  'labels',
  'approvals',
  'duties',
  'evidence',
] as const satisfies readonly Condition[];

/** Conditions of a step in its environment, by the rule of the server. */
export function conditionsOf(step: DraftStep, environment: Guarded): Conditions {
  const { after, labels, duties, evidence, relaxes } = step;
  const approvals = /^\d+$/.test(step.approvals.trim()) ? Number(step.approvals) : undefined;
  const { requiredApprovals, separationOfDuties, requiredEvidence } = environment;
  return {
    after,
    // With one environment or none before it, all and any are the same.
    need: after.length > 1 ? step.need : 'ALL',
    labels: labels.trim(),
    approvals: relaxes ? (approvals ?? requiredApprovals) : Math.max(approvals ?? 0, requiredApprovals),
    duties: relaxes ? duties || separationOfDuties : duties === 'AUTHOR' ? duties : separationOfDuties,
    evidence: relaxes ? (evidence ?? requiredEvidence) : [...new Set([...requiredEvidence, ...(evidence ?? [])])],
  };
}

const isEqual = (a: Conditions[Condition], b: Conditions[Condition]): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((one) => b.some((other) => other === one))
    : a === b;

export interface PathEffect {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Steps of both paths whose conditions differ, and in what. */
  readonly changed: readonly {
    readonly id: string;
    readonly before: Conditions;
    readonly after: Conditions;
    readonly what: readonly Condition[];
  }[];
  /** Environments that a release can reach without others that it had to pass before. */
  readonly skips: readonly { readonly id: string; readonly without: readonly string[] }[];
  /** Steps that wait for each other. */
  readonly cycle: readonly string[];
}

/** Effect of replacing a path by another one. */
export function pathEffect(
  before: readonly DraftStep[],
  after: readonly DraftStep[],
  environments: readonly Guarded[],
): PathEffect {
  const old = new Map(before.map((step) => [step.id, step]));
  const next = new Map(after.map((step) => [step.id, step]));
  const cycle = cycleOf(after);
  const passed =
    cycle.length > 0 || cycleOf(before).length > 0 ? undefined : [passedBefore(before), passedBefore(after)];
  const changed = after.flatMap((step) => {
    const [previous, environment] = [old.get(step.id), environments.find(({ id }) => id === step.id)];
    if (!previous || !environment) return [];
    const [a, b] = [conditionsOf(previous, environment), conditionsOf(step, environment)];
    const name = CONDITIONS.filter((each) => !isEqual(a[each], b[each]));
    return name.length === 0 ? [] : [{ id: step.id, before: a, after: b, what: name }];
  });
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !next.has(id)).map(({ id }) => id),
    changed,
    skips: after.flatMap(({ id }) => {
      const [a, b] = [passed?.[0]?.get(id), passed?.[1]?.get(id)];
      const without = a && b ? [...a.difference(b)] : [];
      return without.length === 0 ? [] : [{ id, without }];
    }),
    cycle,
  };
}
