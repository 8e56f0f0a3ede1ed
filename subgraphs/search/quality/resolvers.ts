import type { Caller } from '@landfall/kernel/core/caller';
import type { Resolvers } from '../generated.ts';
import type { Quality } from './quality.ts';

export interface QualityContext {
  readonly caller: Caller;
  readonly quality: Pick<Quality, 'analytics' | 'history' | 'feedback' | 'metrics' | 'alerts'>;
}

export const qualityResolvers = {
  Query: {
    searchHistory: (_, _args, { caller, quality }) => quality.history.list(caller, {}),
    searchQuality: (_, period, { caller, quality }) => quality.metrics.read(caller, period),
    searchAlerts: (_, filter, { caller, quality }) => quality.alerts.list(caller, filter),
  },
  Mutation: {
    clearSearchHistory: (_, { input }, { caller, quality }) => quality.history.clear(caller, input),
    recordSearchEvents: (_, { input }, { caller, quality }) => quality.analytics.record(caller, input),
    sendSearchFeedback: (_, { input }, { caller, quality }) => quality.feedback.send(caller, input),
    updateSearchAlert: (_, { input }, { caller, quality }) => quality.alerts.update(caller, input),
  },
  SearchAlert: {
    __resolveReference: (alert, { caller, quality }) => quality.alerts.get(caller, alert),
  },
} satisfies Resolvers<QualityContext>;
