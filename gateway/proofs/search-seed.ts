import { type Caller, hasTenant } from '@landfall/kernel/core/caller';
import type { TenantData } from '@landfall/kernel/testing/matrix';
import type { Search } from '@landfall/search';
import { callerOf } from './operations.ts';
import { MARK } from './owner-marks.ts';

/**
 * Seeds queries with their outcomes, an alert, and documents: the tenant's policies, which name its environments.
 * @param owner with the subject that the matrix takes for its own
 */
export const searchData = async ({ quality, adapters, operations }: Search, owner: Caller): Promise<TenantData> => {
  if (!hasTenant(owner)) throw new TypeError('the owner has a tenant');
  const frame = { kind: 'answer_frame', outcome: 'fallback', query: MARK, sessionId: MARK };
  const events = [{ kind: 'query', query: MARK }, { kind: 'zero_result', query: MARK }, frame, frame, frame];
  await quality.analytics.record(owner, { events });
  quality.recorder.remember(owner, { query: MARK, resultCount: 1 });
  await quality.recorder.flush();
  await quality.turns.monitor();
  await adapters.refresh(owner.tenant, owner);
  const [alert] = await quality.alerts.list(owner, {});
  const [entry] = await quality.history.list(owner, {});
  const content = JSON.stringify({ id: 'EX-1', modified: '2026-01-01T00:00:00Z', summary: MARK });
  await callerOf(operations)('search.import', owner, { fileName: 'advisory.json', content, source: MARK });
  return {
    ids: { SearchAlert: alert?.alertId ?? '', Alert: alert?.alertId ?? '', History: entry?.historyId ?? '' },
    inputs: { 'searchSuggestions.evaluate': { suggestions: [MARK] }, 'search.synthesize': { q: MARK } },
  };
};
