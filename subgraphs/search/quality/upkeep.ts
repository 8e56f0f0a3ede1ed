import type { Deps } from '@landfall/kernel/module';
import { prune as pruneAlerts } from './alerts.store.ts';
import { prune as pruneAnalytics } from './analytics.store.ts';
import { prune as pruneFeedback } from './feedback.store.ts';
import { prune as pruneHistory } from './history.store.ts';
import { MAX_HISTORY } from './history.ts';

/** Rows of a statement, to bound lock times. */
const BATCH = 5_000;
/** Feedback is small and kept longer than analytics. */
const FEEDBACK_DAYS = 365;

export const createUpkeep = ({ database, log }: Pick<Deps, 'database' | 'log'>, analyticsDays: number) => ({
  async prune(): Promise<void> {
    let analytics = 0;
    for (;;) {
      const removed = await database.system.write((tx) => pruneAnalytics(tx, analyticsDays, BATCH));
      analytics += removed;
      if (removed < BATCH) break;
    }
    const history = await database.system.write((tx) => pruneHistory(tx, analyticsDays, MAX_HISTORY));
    const feedback = await database.system.write((tx) => pruneFeedback(tx, Math.max(FEEDBACK_DAYS, analyticsDays)));
    const alerts = await database.system.write((tx) => pruneAlerts(tx, analyticsDays));
    log.info({ pruned: { analytics, history, feedback, alerts } }, 'search upkeep');
  },
});
