import { t } from './labels.ts';
import type { MatcherRow } from './rule-draft.ts';

type Matcher = Pick<MatcherRow, 'path' | 'op'> & { readonly values: readonly string[] };

/** Conditions in one line: `kind is deployment.failed`. */
export const matcherText = (matchers: readonly Matcher[]): string =>
  matchers
    .map(({ path, op, values }) => t('matcher.sentence', { path, op: t(`matcher.op.${op}`), value: values.join(', ') }))
    .join(t('matcher.and')) || t('matcher.none');
