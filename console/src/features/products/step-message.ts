import { fieldMessage } from '../../lib/form-drafts.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { t } from './labels.ts';

/** Sentence about a field of a step that was refused, or that makes no sense. */
export function stepMessage(problem: FieldProblem): string {
  const { field, code } = problem;
  if (field === 'targetLabels') return t('labels.wrong');
  if (code === 'NO_NUMBER') return t('step.approvals.wrong');
  // Numbers out of range are not sent, so the server refuses a policy for one reason: it is less strict than the environment.
  if (field.startsWith('policy.') && code === 'VAL_INVALID_VALUE') return t('step.relaxed');
  return fieldMessage(problem);
}
