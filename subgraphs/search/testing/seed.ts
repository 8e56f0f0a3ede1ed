import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import { callerOf } from '@landfall/kernel/testing/operations';
import type { Search } from '../index.ts';

/** Seeds queries with their outcomes, an alert, and documents: the tenant's policies, which name its environments. */
const create = async ({ quality, adapters, operations }: Search, { mark, ids, ...context }: SeedContext) => {
  // History is personal: that of the subject that the matrix uses as the owner.
  const owner = { ...context.owner, subject: ids.User ?? context.owner.subject };
  const frame = { kind: 'answer_frame', outcome: 'fallback', query: mark, sessionId: mark };
  const events = [{ kind: 'query', query: mark }, { kind: 'zero_result', query: mark }, frame, frame, frame];
  await quality.analytics.record(owner, { events });
  quality.recorder.remember(owner, { query: mark, resultCount: 1 });
  await quality.recorder.flush();
  await quality.runOnce.monitor();
  await adapters.refresh(owner.tenant, owner);
  const [alert] = await quality.alerts.list(owner, {});
  const [entry] = await quality.history.list(owner, {});
  const content = JSON.stringify({ id: 'EX-1', modified: '2026-01-01T00:00:00Z', summary: mark });
  await callerOf(operations)('search.import', owner, { fileName: 'advisory.json', content, source: mark });
  return {
    ids: { SearchAlert: alert?.alertId ?? '', Alert: alert?.alertId ?? '', History: entry?.historyId ?? '' },
    inputs: { 'searchSuggestions.evaluate': { suggestions: [mark] }, 'search.synthesize': { q: mark } },
  };
};

export const searchSeed: Seed<Search> = {
  // Last: it finds the entities of the other modules.
  order: 40,
  shared: { 'searchAdapters.list': 'where documents come from, and how many: nothing of what they say' },
  sharedFields: {
    searchHistory: 'the asker’s own',
    searchAdapters: 'where documents come from, and how many',
    searchCorpora: 'how many documents there are',
  },
  ownFields: { clearSearchHistory: 'a person’s own; the matrix of operations tries it as two of them' },
  values: { q: 'acme-only', suggestion: 'acme-only', SearchAlertStatus: 'ACKNOWLEDGED' },
  create,
};
