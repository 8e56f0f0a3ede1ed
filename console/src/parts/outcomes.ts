import type { OutcomesFragment } from '../generated/operations.ts';
import { listText, t } from '../lib/i18n.ts';

export type Outcome = OutcomesFragment['outcomes'][number];

/** Outcomes that an approval or a launch of the same digests has to acknowledge. */
export const adverseOutcomes = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ asks: requests }) => requests);

/** Outcomes in words: `failed in prod and rolled back in staging`. */
export const outcomeText = (outcomes: readonly Outcome[]): string =>
  listText(
    outcomes.map(({ state, environment }) =>
      t('outcome.summary', { state: t(`outcome.phrase.${state}`), where: environment.name }),
    ),
  );
