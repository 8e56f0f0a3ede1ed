import type {
  EvidenceType,
  PathStepInput,
  ProductPathFragment,
  SeparationOfDuties,
  StepNeed,
} from '../../generated/operations.ts';
import { formatLabels, parseLabels } from '../../lib/label-text.ts';
import type { FieldProblem } from '../../lib/problem.ts';

/** Step of a path while it is edited, as its fields have it. */
export interface DraftStep {
  /** Environment of the step. */
  readonly id: string;
  readonly after: readonly string[];
  readonly need: StepNeed;
  readonly labels: string;
  /** Empty: those of the environment. */
  readonly approvals: string;
  /** Empty: that of the environment. */
  readonly duties: SeparationOfDuties | '';
  /** Undefined: that of the environment. */
  readonly evidence: readonly EvidenceType[] | undefined;
  readonly relaxes: boolean;
}

/** Path while it is edited. */
export interface Draft {
  readonly steps: readonly DraftStep[];
  /** Whether the product follows the environments of the tenant, in order. */
  readonly isInOrder: boolean;
}

/** Most approvals that a step can ask for. */
const MAX_APPROVALS = 10;

interface Environment {
  readonly id: string;
  readonly orderIndex: number;
}

const PLAIN = { need: 'ALL', labels: '', approvals: '', duties: '', evidence: undefined, relaxes: false } as const;

export const draftOf = ({ hasOwnPath, path }: Pick<ProductPathFragment, 'hasOwnPath' | 'path'>): Draft => ({
  isInOrder: !hasOwnPath,
  steps: path.map(({ environment: { id }, after, need, targetLabels, policy }) => ({
    id,
    after: after.map((one) => one.id),
    need,
    labels: formatLabels(targetLabels),
    approvals: policy.requiredApprovals === null ? '' : String(policy.requiredApprovals),
    duties: policy.separationOfDuties ?? '',
    evidence: policy.requiredEvidence ?? undefined,
    relaxes: policy.relaxes,
  })),
});

/** Path of the environments in order: each after all that come before it. */
export const draftInOrder = (environments: readonly Environment[]): Draft => ({
  isInOrder: true,
  steps: environments.map(({ id, orderIndex }) => ({
    ...PLAIN,
    id,
    after: environments.filter((other) => other.orderIndex < orderIndex).map((other) => other.id),
  })),
});

const own = (steps: readonly DraftStep[]): Draft => ({ isInOrder: false, steps });

export const changeStep = ({ steps }: Draft, id: string, change: Partial<DraftStep>): Draft =>
  own(steps.map((step) => (step.id === id ? { ...step, ...change } : step)));

/** Adds an environment after the last step that comes before it in order. */
export function addStep({ steps }: Draft, id: string, environments: readonly Environment[]): Draft {
  const order = environments.map((environment) => environment.id);
  const before = steps.filter((step) => order.indexOf(step.id) < order.indexOf(id)).at(-1);
  const added: DraftStep = { ...PLAIN, id, after: before === undefined ? [] : [before.id] };
  return own([...steps, added].toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)));
}

/** Takes a step out; what came after it comes after what it came after. */
export function removeStep({ steps }: Draft, id: string): Draft {
  const removed = steps.find((step) => step.id === id);
  return own(
    steps
      .filter((step) => step.id !== id)
      .map((step) => {
        if (!step.after.includes(id)) return step;
        const after = step.after.flatMap((one) => (one === id ? (removed?.after ?? []) : [one]));
        return { ...step, after: [...new Set(after)].filter((one) => one !== step.id) };
      }),
  );
}

/** Input of a draft, or what in it makes no sense, by the paths of the input's fields. */
export function inputOf({ isInOrder, steps }: Draft): {
  readonly steps: PathStepInput[] | null;
  readonly wrong: readonly FieldProblem[];
} {
  const wrong: FieldProblem[] = [];
  const inputs = steps.map(
    ({ id, after, need, labels, approvals, duties, evidence, relaxes }, index): PathStepInput => {
      const targetLabels = parseLabels(labels);
      if (targetLabels === undefined)
        wrong.push({ field: `steps.${index}.targetLabels`, message: labels, code: 'NO_LABELS' });
      const count = approvals.trim();
      if (count !== '' && !(/^\d+$/.test(count) && Number(count) <= MAX_APPROVALS))
        wrong.push({ field: `steps.${index}.policy.requiredApprovals`, message: count, code: 'NO_NUMBER' });
      return {
        environmentId: id,
        after: [...after],
        need,
        targetLabels: targetLabels ?? [],
        policy: {
          ...(count !== '' && { requiredApprovals: Number(count) }),
          ...(duties !== '' && { separationOfDuties: duties }),
          ...(evidence !== undefined && { requiredEvidence: [...evidence] }),
          relaxes,
        },
      };
    },
  );
  return { steps: isInOrder ? null : inputs, wrong };
}

/** Problems of a path by its steps, each under the name of the step's field. */
export function problemsByStep(problems: readonly FieldProblem[], steps: readonly DraftStep[]) {
  const found = problems.flatMap((problem) => {
    const [, at, field = ''] = /^steps\.(\d+)\.(.+)$/.exec(problem.field) ?? [];
    const id = steps[Number(at)]?.id;
    return id === undefined ? [] : [{ id, problem: { ...problem, field: field.replace(/\.\d+.*$/, '') } }];
  });
  return new Map(
    [...Map.groupBy(found, ({ id }) => id)].map(([id, rows]) => [id, rows.map(({ problem }) => problem)] as const),
  );
}
