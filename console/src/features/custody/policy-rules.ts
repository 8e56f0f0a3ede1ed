import { labelOr, listText } from '../../lib/i18n.ts';
import { fieldsOf, parseJson } from '../../lib/json.ts';
import { t } from './labels.ts';

/** Words of one rule; none for a rule that asks for nothing, undefined for one of a newer platform. */
function ruleWords(name: string, value: unknown): string | undefined {
  if (value === null) return '';
  if (name === 'requiredApprovals' && typeof value === 'number') return t('kitPolicy.approvals', { n: value });
  if (name === 'separationOfDuties')
    return value === 'author' ? t('kitPolicy.duties.author') : value === 'off' ? '' : undefined;
  if (name === 'requiredEvidence' && Array.isArray(value))
    return value.length === 0 ? '' : t('kitPolicy.evidence', { types: listText(value.map(evidenceName)) });
  if (name === 'analysis') return t('kitPolicy.analysis');
  return undefined;
}

const evidenceName = (type: unknown): string => labelOr(`evidence.${String(type).toUpperCase()}`, String(type));

/** Rules of a policy's JSON in words; a rule that has none stands as it is written. */
export const policyRules = (policy: string): string =>
  Object.entries(fieldsOf(parseJson(policy)))
    .map(([name, value]) => ruleWords(name, value) ?? `${name}: ${JSON.stringify(value)}`)
    .filter(Boolean)
    .join(', ') || t('none');
