import { hasTable } from '@landfall/kernel/db/relations';
import type { ContentDates } from '@landfall/kernel/module';
import { find } from './content-dates.store.ts';

/** Dates of advisories, VEX documents and the policy of scores, for the budgets of a site without a network (proofs 8.2). */
export const contentDates: ContentDates = async (query, tenant) =>
  (await hasTable(query, 'scanner.vex_documents'))
    ? await find(query, tenant)
    : { advisories: null, vex: null, policy: null };
