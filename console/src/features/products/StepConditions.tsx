import { listText } from '../../lib/i18n.ts';
import { t } from './labels.ts';
import styles from './PathGraph.module.css';
import type { Conditions } from './path-effect.ts';

/** Names of environments by id. */
export type Names = ReadonlyMap<string, string>;

/** Environments that come before a step, in words. */
export function afterText({ after, need }: Pick<Conditions, 'after' | 'need'>, names: Names): string {
  if (after.length === 0) return t('step.after.none');
  const location = listText(after.map((id) => names.get(id) ?? id));
  if (after.length === 1) return t('step.after', { where: location });
  return t(need === 'ANY' ? 'step.after.any' : 'step.after.all', { where: location });
}

export const approvalsText = ({ approvals: n }: Pick<Conditions, 'approvals'>): string => t('step.approvals.n', { n });

export const evidenceText = ({ evidence }: Pick<Conditions, 'evidence'>): string =>
  evidence.length === 0 ? t('none') : listText(evidence.map((type) => t(`evidence.${type}`)));

type StepConditionsProps = {
  readonly conditions: Conditions;
  /** Environments that it comes directly after, which imply the others. */
  readonly directlyAfter: readonly string[];
  readonly names: Names;
};

/** Conditions of a step: what it comes after, its approvals, and what else its product asks for there. */
export function StepConditions({ conditions, directlyAfter, names }: StepConditionsProps) {
  const { need, labels, approvals, duties, evidence } = conditions;
  return (
    <ul className={styles.conditions}>
      <li>{afterText({ after: directlyAfter, need }, names)}</li>
      <li>{duties === 'AUTHOR' ? t('step.approvals.notByAuthor', { n: approvals }) : approvalsText(conditions)}</li>
      {labels !== '' && <li>{t('step.targets', { labels })}</li>}
      {evidence.length > 0 && <li>{t('step.evidence', { types: evidenceText(conditions) })}</li>}
    </ul>
  );
}
