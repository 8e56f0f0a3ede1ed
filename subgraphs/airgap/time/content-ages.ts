import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { ContentDates } from '@landfall/kernel/module';
import { ageSeconds, freshnessOf } from './staleness.ts';
import { CONTENTS, type TimeOptions } from './time-options.ts';

interface ContentDeps {
  readonly contentDates: ContentDates;
  readonly options: Pick<TimeOptions, 'budgets'>;
}

/** Creates the reader of the ages of a tenant's content, each with its budget; unknown without content. */
export const createContentAges =
  ({ contentDates, options }: ContentDeps) =>
  async (query: Query, tenant: TenantId, now: Date) => {
    const dates = await contentDates(query, tenant);
    return CONTENTS.map((content) => {
      const date = dates[content];
      const age = date === null ? null : ageSeconds(now, date);
      const budget = options.budgets[content];
      const state = age === null ? ('unknown' as const) : freshnessOf(age, budget);
      return { content, date, ageSeconds: age, state, ...budget };
    });
  };
