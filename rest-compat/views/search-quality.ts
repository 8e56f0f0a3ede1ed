import type { Search } from '@landfall/search';

type Quality = Search['quality'];
type Entry = Awaited<ReturnType<Quality['history']['list']>>[number];
type Metrics = Awaited<ReturnType<Quality['metrics']['read']>>;
type Alert = Awaited<ReturnType<Quality['alerts']['update']>>;

// The order of the fields is the order of the bytes (rulings, "Exact shapes").

export const historyView = ({ historyId, query, resultCount, at }: Entry) => ({
  historyId,
  query,
  resultCount,
  at: at.toISOString(),
});

export const metricsView = (metrics: Metrics) => ({
  period: metrics.period,
  from: metrics.from.toISOString(),
  to: metrics.to.toISOString(),
  queryCount: metrics.queryCount,
  zeroResultRate: metrics.zeroResultRate,
  clickThroughRate: metrics.clickThroughRate,
  fallbackAnswerRate: metrics.fallbackAnswerRate,
  clarifyRate: metrics.clarifyRate,
  insufficientRate: metrics.insufficientRate,
  reformulationCount: metrics.reformulationCount,
  rescueActionCount: metrics.rescueActionCount,
  abandonedFallbackCount: metrics.abandonedFallbackCount,
});

export const alertView = (alert: Alert) => ({
  alertId: alert.alertId,
  alertType: alert.alertType,
  status: alert.status,
  query: alert.query,
  occurrences: alert.occurrences,
  firstSeenAt: alert.firstSeenAt.toISOString(),
  lastSeenAt: alert.lastSeenAt.toISOString(),
  resolution: alert.resolution,
});
