import { type Caller, hasTenant } from '@landfall/kernel/caller';
import type { TenantData } from '@landfall/kernel/testing/matrix';
import type { Search } from '@landfall/search';
import { MARK } from './words.ts';

/**
 * What somebody asked, what became of it, an alert, and documents: the tenant's policies, which name its environments.
 * @param owner with the subject that the matrix takes for its own
 */
export const searchData = async ({ quality, adapters }: Search, owner: Caller): Promise<TenantData> => {
  if (!hasTenant(owner)) throw new TypeError('the owner has a tenant');
  const frame = { kind: 'answer_frame', outcome: 'fallback', query: MARK, sessionId: MARK };
  const events = [{ kind: 'query', query: MARK }, { kind: 'zero_result', query: MARK }, frame, frame, frame];
  await quality.analytics.record(owner, { events });
  quality.recorder.remember(owner, { query: MARK, resultCount: 1 });
  await quality.recorder.flush();
  await quality.turns.monitor();
  await adapters.refresh(owner.tenant, owner);
  const [alert] = await quality.alerts.list(owner, {});
  return {
    ids: { SearchAlert: alert?.alertId ?? '' },
    inputs: { 'searchSuggestions.evaluate': { suggestions: [MARK] }, 'search.synthesize': { q: MARK } },
  };
};
