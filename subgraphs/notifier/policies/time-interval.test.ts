import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parser } from '@landfall/kernel/operation/input';
import fc from 'fast-check';
import { WEEKDAYS } from '../rules/calendar.ts';
import { clockChanges, daysInMonth, type WallMinute, wallNumber } from './testing/clock-changes.ts';
import {
  checkTimeInterval,
  isInInterval,
  nextChange,
  type Period,
  type TimeInterval,
  timeInterval,
} from './time-interval.ts';

const anInterval = (timeZone: string, ...periods: Period[]): TimeInterval => ({
  id: '00000000-0000-4000-8000-000000000002',
  name: 'Nights',
  timeZone,
  periods,
});

const CHANGES = clockChanges();

const text = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Meaning of a period, as plainly as it can be said. */
const isInPeriod = (period: Period, { year, month, day, weekday, minutes }: WallMinute): boolean => {
  const fromEnd = (each: number) => (each > 0 ? each : daysInMonth(year, month) + 1 + each);
  if (period.weekdays && !period.weekdays.includes(WEEKDAYS[weekday - 1] ?? 'monday')) return false;
  if (period.daysOfMonth && !period.daysOfMonth.some(({ from, to }) => fromEnd(from) <= day && day <= fromEnd(to)))
    return false;
  if (period.months && !period.months.includes(month)) return false;
  if (period.years && !period.years.some(({ from, to }) => from <= year && year <= to)) return false;
  return !period.times || period.times.some(({ from, to }) => minutesOf(from) <= minutes && minutes < minutesOf(to));
};

const timeRange = fc
  .tuple(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 1, max: 300 }))
  .map(([from, length]) => ({ from: text(from), to: text(Math.min(1_440, from + length)) }));

const dayRange = fc.constantFrom(
  { from: 1, to: 5 },
  { from: -3, to: -1 },
  { from: 25, to: 31 },
  { from: 3, to: -26 },
  { from: -1, to: -1 },
  { from: 31, to: 31 },
);

const period: fc.Arbitrary<Period> = fc.record(
  {
    weekdays: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
    daysOfMonth: fc.array(dayRange, { minLength: 1, maxLength: 2 }),
    months: fc.uniqueArray(fc.constantFrom(3, 4, 9, 10, 11), { minLength: 2 }),
    years: fc.constantFrom([{ from: 2026, to: 2026 }], [{ from: 2027, to: 2030 }]),
    times: fc.array(timeRange, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const night: fc.Arbitrary<Period> = fc.array(timeRange, { minLength: 1, maxLength: 3 }).map((times) => ({ times }));

test('intervals hold the minutes of their wall clock across both clock changes of five zones', () => {
  const periods = fc.array(fc.oneof(period, night), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...CHANGES), periods, fc.integer({ min: 0, max: 2_879 }), (change, list, start) => {
      const interval = anInterval(change.timeZone, ...list);
      const states = change.minutes.map((minute) => list.some((each) => isInPeriod(each, minute)));
      const begin = change.minutes[start];
      assert.ok(begin);
      for (let index = start; index < states.length; index += 97)
        assert.equal(isInInterval(interval, change.minutes[index]?.at ?? new Date(0)), states[index], `${index}`);
      const expected = change.minutes.find((_, index) => index > start && states[index] !== states[start]);
      const next = nextChange(interval, begin.at);
      if (expected) assert.equal(next?.toISOString(), expected.at.toISOString(), begin.at.toISOString());
      else assert.ok(!next || next > (change.minutes.at(-1)?.at ?? next), 'no change in these days');
    }),
    { numRuns: 400 },
  );
});

test('the clock changes of the tests are changes', () => {
  for (const { timeZone, minutes } of CHANGES) {
    const jumps = minutes.filter((minute, index) => {
      const before = minutes[index - 1];
      return before && wallNumber(minute) - wallNumber(before) !== 1;
    });
    assert.equal(jumps.length, 1, timeZone);
  }
});

const days = (from: number, to: number): Period => ({ daysOfMonth: [{ from, to }] });
const noonOf = (day: string): Date => new Date(`${day}T12:00:00Z`);

test('days count from the end of the month, and a day that a month does not have is skipped', () => {
  const isIn = (period: Period, day: string): boolean => isInInterval(anInterval('UTC', period), noonOf(day));
  assert.deepEqual(
    ['2026-02-27', '2026-02-28', '2028-02-28', '2028-02-29'].map((day) => isIn(days(-1, -1), day)),
    [false, true, false, true],
  );
  assert.ok(isIn(days(-3, -1), '2026-04-28') && !isIn(days(-3, -1), '2026-04-27'));
  assert.ok(!isIn(days(31, 31), '2026-04-30') && isIn(days(31, 31), '2026-05-31'));
  assert.ok(isIn(days(28, 31), '2026-02-28') && !isIn(days(29, 31), '2026-02-28'));
  assert.ok(isIn(days(-31, 1), '2026-02-01') && !isIn(days(-31, 1), '2026-02-02'));
  assert.ok(isIn(days(1, -1), '2026-02-14'));
});

test('the end of a range of times is outside it, and the day ends at 24:00', () => {
  const evening = anInterval('Europe/Berlin', { times: [{ from: '20:00', to: '24:00' }] });
  const isIn = (time: string): boolean => isInInterval(evening, new Date(`2026-06-10T${time}+02:00`));
  assert.deepEqual(['19:59:59', '20:00:00', '23:59:59'].map(isIn), [false, true, true]);
  assert.equal(nextChange(evening, new Date('2026-06-10T21:00:00+02:00'))?.toISOString(), '2026-06-10T22:00:00.000Z');
});

test('a night over two periods changes at its end only', () => {
  const times = [
    { from: '22:00', to: '24:00' },
    { from: '00:00', to: '07:00' },
  ];
  const nights = anInterval('America/New_York', { times });
  // The clock goes back on this night, which is an hour longer.
  assert.equal(nextChange(nights, new Date('2026-11-01T03:00:00Z'))?.toISOString(), '2026-11-01T12:00:00.000Z');
});

test('a range in the repeated hour comes twice, one in the skipped hour never', () => {
  const interval = anInterval('Europe/Berlin', { times: [{ from: '02:15', to: '02:45' }] });
  const changesAfter = (at: string, count: number): string[] => {
    const found: string[] = [];
    for (let next = nextChange(interval, new Date(at)); next && found.length < count; next = nextChange(interval, next))
      found.push(next.toISOString().slice(0, 16));
    return found;
  };
  const repeated = ['2026-10-25T00:15', '2026-10-25T00:45', '2026-10-25T01:15', '2026-10-25T01:45', '2026-10-26T01:15'];
  assert.deepEqual(changesAfter('2026-10-24T12:00:00Z', 5), repeated);
  assert.deepEqual(changesAfter('2026-03-28T12:00:00Z', 1), ['2026-03-30T00:15']);
});

test('an interval of past years does not change any more', () => {
  assert.equal(nextChange(anInterval('UTC', { years: [{ from: 2020, to: 2021 }] }), noonOf('2026-01-01')), null);
});

test('zones that do not exist and ranges that end before they begin are refused', () => {
  const interval = anInterval('Europe/Atlantis', {
    times: [{ from: '22:00', to: '07:00' }],
    daysOfMonth: [
      { from: 5, to: 3 },
      { from: -1, to: -2 },
      { from: 5, to: -1 },
    ],
    years: [{ from: 2027, to: 2026 }],
  });
  assert.deepEqual(parser(timeInterval)(interval), interval);
  assert.deepEqual(
    checkTimeInterval(interval).map(({ field }) => field),
    ['timeZone', 'periods.0.times.0', 'periods.0.daysOfMonth.0', 'periods.0.daysOfMonth.1', 'periods.0.years.0'],
  );
  for (const times of [
    [{ from: '24:00', to: '24:00' }],
    [{ from: '9:00', to: '10:00' }],
    [{ from: '10:00', to: '24:01' }],
  ])
    assert.throws(() => parser(timeInterval)(anInterval('UTC', { times })), { name: 'Fault' });
  assert.throws(() => parser(timeInterval)(anInterval('UTC', days(0, 1))), { name: 'Fault' });
});
