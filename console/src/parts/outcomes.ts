import type { OutcomesFragment } from '../generated/operations.ts';
import { currentLocale, t } from '../lib/i18n.ts';

export type Outcome = OutcomesFragment['outcomes'][number];

/** Outcomes that an approval or a launch of the same digests has to acknowledge. */
export const adverseOutcomes = (outcomes: readonly Outcome[]): Outcome[] => outcomes.filter(({ asks }) => asks);

export const outcomesToAcknowledge = (outcomes: readonly Outcome[]): string[] =>
  adverseOutcomes(outcomes).map(({ deployment: { id } }) => id);

/** `failed in prod and rolled back in staging` */
export const outcomeText = (outcomes: readonly Outcome[]): string =>
  new Intl.ListFormat(currentLocale(), { type: 'conjunction' }).format(
    outcomes.map(({ state, environment }) =>
      t('outcome.in', { state: t(`outcome.word.${state}`), where: environment.name }),
    ),
  );
