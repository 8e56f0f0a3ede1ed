import { type Draft, type DraftStep, removeStep } from './path-draft.ts';

/** Whether two parts of a draft are the same; each answer has new objects for the same data. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

type StepsById = ReadonlyMap<string, DraftStep>;

const stepsById = ({ steps }: Draft): StepsById => new Map(steps.map((step) => [step.id, step]));

/** Step as it is now, with the fields that a draft changed since. */
function mergeStep(now: DraftStep, previous: DraftStep | undefined, is: DraftStep | undefined): DraftStep {
  if (is === undefined) return now;
  const pick = <K extends keyof DraftStep>(key: K): DraftStep[K] =>
    isSame(is[key], previous?.[key]) ? now[key] : is[key];
  return {
    id: now.id,
    after: pick('after'),
    need: pick('need'),
    labels: pick('labels'),
    approvals: pick('approvals'),
    duties: pick('duties'),
    evidence: pick('evidence'),
    relaxes: pick('relaxes'),
  };
}

/**
 * Draft with its changes since `before` made to the newest path. Changes of steps that are not on that path any more are
 * dropped, and so are orders after such steps; `dropped` has the steps of both.
 */
export function rebase(
  before: Draft,
  draft: Draft,
  newest: Draft,
): { readonly draft: Draft; readonly dropped: readonly string[] } {
  if (draft.isInOrder) return { draft, dropped: [] };
  const [previous, is, now] = [stepsById(before), stepsById(draft), stepsById(newest)];
  const removed = before.steps.filter(({ id }) => !is.has(id));
  const remaining = removed.reduce((path, { id }) => removeStep(path, id), newest);
  const added = draft.steps.filter(({ id }) => !previous.has(id) && !now.has(id));
  const merged = [...remaining.steps.map((step) => mergeStep(step, previous.get(step.id), is.get(step.id))), ...added];
  const ids = new Set(merged.map(({ id }) => id));
  const lost = draft.steps.filter(
    (step) => previous.has(step.id) && !ids.has(step.id) && !isSame(step, previous.get(step.id)),
  );
  const cut = merged.filter(({ after }) => after.some((id) => !ids.has(id)));
  return {
    draft: {
      isInOrder: false,
      steps: merged.map((step) => ({ ...step, after: step.after.filter((id) => ids.has(id)) })),
    },
    dropped: [...lost, ...cut].map(({ id }) => id),
  };
}
