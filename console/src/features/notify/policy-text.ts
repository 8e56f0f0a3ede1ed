import type { NotificationPolicyKind } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { fieldsOf, parseJson } from '../../lib/json.ts';
import { labelOr, t } from './labels.ts';
import { matcherText } from './matcher-text.ts';
import { OPERATORS } from './rule-draft.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const rowsOf = (value: unknown) => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const matchersIn = (matchers: unknown): string =>
  matcherText(
    rowsOf(matchers).map(({ path, op, value }) => ({
      path: textOf(path),
      op: OPERATORS.find((one) => one.toLowerCase() === op) ?? 'EQ',
      values: [value].flat().map(String),
    })),
  );

/** Days and hours of a part of a time interval, or of quiet hours. */
const hoursIn = ({ weekdays, times }: Readonly<Record<string, unknown>>): string => {
  const days = textsOf(weekdays).map((day) => labelOr(`interval.day.${day.toUpperCase()}`, day));
  const hours = rowsOf(times).map(({ from, to }) => t('interval.range', { from: textOf(from), to: textOf(to) }));
  return [days.length === 0 ? t('interval.everyDay') : listText(days), ...hours].join(' · ');
};

const minutes = (seconds: unknown): number => Number(seconds) / 60;

/** Events or hours of a policy in one line, and what else it says. */
export function policyText(kind: NotificationPolicyKind, document: string) {
  const facts = fieldsOf(parseJson(document));
  const { matchers, reason, timeZone, from, to, weekdays, periods, minChanges, windowSeconds } = facts;
  switch (kind) {
    case 'TIME_INTERVAL':
      return { what: rowsOf(periods).map(hoursIn).join('; '), more: textOf(timeZone) };
    case 'QUIET_HOURS':
      return { what: hoursIn({ weekdays, times: [{ from, to }] }), more: textOf(timeZone) };
    case 'INHIBITION': {
      const names = { source: matchersIn(facts.sourceMatchers), target: matchersIn(facts.targetMatchers) };
      return { what: t('inhibition.sentence', names), more: textsOf(facts.equal).join(', ') };
    }
    case 'FLAPPING': {
      const count = { n: Number(minChanges), minutes: minutes(windowSeconds) };
      return { what: matchersIn(matchers), more: t('flapping.sentence', count) };
    }
    default:
      return { what: matchersIn(matchers), more: textOf(reason) };
  }
}

/** Start of a maintenance. */
export const startOf = (document: string): string => textOf(fieldsOf(parseJson(document)).startsAt);
