import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation/operation';
import { createIntervals, type IntervalWork } from '../shared/interval.ts';
import { searchOperations } from '../shared/operations.ts';
import type { SearchSettings } from '../shared/settings.ts';
import { createAlerts } from './alerts.ts';
import { createAnalytics } from './analytics.ts';
import { createFeedback } from './feedback.ts';
import { createHistory } from './history.ts';
import { createMetrics } from './metrics.ts';
import { createMonitor } from './monitor.ts';
import { createPopularity } from './popularity.ts';
import { createRecorder } from './recorder.ts';
import { createUpkeep } from './upkeep.ts';

type QualitySettings = Pick<
  SearchSettings,
  'analyticsRetentionDays' | 'analyticsPruneSeconds' | 'qualityMonitorSeconds'
>;

/** Creates the operations and workers of search quality: analytics, history, feedback, metrics and alerts. */
export const createQuality = (config: Deps, settings: QualitySettings) => {
  const deps = { ...config, operation: searchOperations(config.operation) };
  const recorder = createRecorder(deps);
  const monitor = createMonitor(deps);
  const upkeep = createUpkeep(deps, settings.analyticsRetentionDays);
  const analytics = createAnalytics(deps, recorder);
  const history = createHistory(deps, recorder);
  const feedback = createFeedback(deps);
  const metrics = createMetrics(deps);
  const alerts = createAlerts(deps);
  const operations: readonly Operation<unknown>[] = [analytics, history, feedback, metrics, alerts].flatMap(
    (noun): Operation<unknown>[] => Object.values(noun),
  );
  const works: readonly IntervalWork[] = [
    { name: 'search.quality-monitor', everyMs: settings.qualityMonitorSeconds * 1_000, run: monitor.run },
    { name: 'search.analytics-prune', everyMs: settings.analyticsPruneSeconds * 1_000, run: upkeep.prune },
  ];
  const leastMs = Math.min(...works.map(({ everyMs }) => everyMs));
  const workers: readonly Worker[] = [createIntervals(deps, { name: 'search.quality', leastMs, works: () => works })];
  return {
    recorder,
    popularity: createPopularity(deps),
    analytics,
    history,
    feedback,
    metrics,
    alerts,
    operations,
    workers,
    companions: [recorder.companion],
    /** Single runs for tests. */
    runOnce: { monitor: monitor.run, prune: upkeep.prune },
  };
};

export type Quality = ReturnType<typeof createQuality>;
