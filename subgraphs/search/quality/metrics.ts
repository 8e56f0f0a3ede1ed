import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { SCOPES } from '../shared/operations.ts';
import * as store from './metrics.store.ts';

/** Length in hours and bucket unit of each period. */
const PERIODS = {
  '24h': { hours: 24, unit: 'hour' },
  '7d': { hours: 7 * 24, unit: 'day' },
  '30d': { hours: 30 * 24, unit: 'day' },
} as const;

type Period = keyof typeof PERIODS;

const isPeriod = (word: string): word is Period => Object.hasOwn(PERIODS, word);

const MAX_ZERO_RESULT_QUERIES = 20;

/**
 * Quality of answers between `from` and `to` (spec 2.8). Rates are 0 to 1, and 0 without events.
 *
 * | figure | what it is |
 * |---|---|
 * | queryCount | `query` events |
 * | zeroResultRate | `zero_result` events (one beside each query that found nothing) ÷ queryCount, at most 1 |
 * | clickThroughRate | queries with a click ÷ queryCount; a click belongs to its person's latest query of the same words, or where it names none, to their latest query |
 * | fallbackAnswerRate | `answer_frame` events with the outcome `fallback` ÷ all `answer_frame` events |
 * | clarifyRate | the same of the outcome `clarify` |
 * | insufficientRate | the same of the outcome `insufficient` |
 * | reformulationCount | `reformulation` events |
 * | rescueActionCount | `rescue_action` events |
 * | abandonedFallbackCount | abandoned fallback answers so far: see abandonment.ts |
 */
interface Metrics {
  readonly period: Period;
  readonly from: Date;
  readonly to: Date;
  readonly queryCount: number;
  readonly zeroResultRate: number;
  readonly clickThroughRate: number;
  readonly fallbackAnswerRate: number;
  readonly clarifyRate: number;
  readonly insufficientRate: number;
  readonly reformulationCount: number;
  readonly rescueActionCount: number;
  readonly abandonedFallbackCount: number;
  readonly helpfulCount: number;
  readonly notHelpfulCount: number;
}

const rate = (part: number, total: number): number => (total === 0 ? 0 : Math.min(1, part / total));

const metricsOf = (period: Period, tallies: store.Tallies): Metrics => ({
  period,
  from: tallies.startsAt,
  to: tallies.endsAt,
  queryCount: tallies.queries,
  zeroResultRate: rate(tallies.zeroResults, tallies.queries),
  clickThroughRate: rate(tallies.clickedQueries, tallies.queries),
  fallbackAnswerRate: rate(tallies.fallbacks, tallies.answers),
  clarifyRate: rate(tallies.clarifications, tallies.answers),
  insufficientRate: rate(tallies.insufficient, tallies.answers),
  reformulationCount: tallies.reformulations,
  rescueActionCount: tallies.rescueActions,
  abandonedFallbackCount: tallies.abandonedFallbacks,
  helpfulCount: tallies.helpful,
  notHelpfulCount: tallies.notHelpful,
});

export const createMetrics = ({ operation }: Pick<Deps, 'operation'>) => ({
  read: operation({
    name: 'searchQuality.read',
    kind: 'read',
    scope: SCOPES.admin,
    input: Type.Object({ period: Type.Optional(Type.String()) }),
    raises: ['advisoryai.validation.period_invalid'],
    example: { period: '7d' },
    async run({ tenant }, { period: requestedPeriod = '7d' }, query) {
      const period = requestedPeriod.toLowerCase();
      if (!isPeriod(period))
        throw new Fault('advisoryai.validation.period_invalid', 'The period is 24h, 7d or 30d.', {
          allowed: Object.keys(PERIODS),
        });
      const { hours, unit } = PERIODS[period];
      return {
        ...metricsOf(period, await store.tally(query, tenant, hours)),
        series: await store.listPoints(query, tenant, hours, unit),
        zeroResultQueries: await store.listZeroResults(query, tenant, hours, MAX_ZERO_RESULT_QUERIES),
      };
    },
  }),
});
