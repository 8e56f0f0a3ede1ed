import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DigestSchedule, WEEKDAYS } from '../rules/calendar.ts';
import { closeDigest, nextDigestAt, placeInDigest } from './digest.ts';
import { type ClockChange, clockChanges, daysInMonth, type WallMinute, wallNumber } from './testing/clock-changes.ts';

const CHANGES = clockChanges();

const isDigestDay = ({ weekdays, daysOfMonth }: DigestSchedule, { year, month, day, weekday }: WallMinute): boolean =>
  (!weekdays || weekdays.includes(WEEKDAYS[weekday - 1] ?? 'monday')) &&
  (!daysOfMonth || daysOfMonth.some((each) => (each > 0 ? each : daysInMonth(year, month) + 1 + each) === day));

/** Times of digests in the days of a clock change: the first minute of that time, or that long after the last one before. */
const digestsIn = ({ minutes }: ClockChange, schedule: DigestSchedule): Date[] => {
  const midnights = new Map(minutes.map((each) => [wallNumber({ ...each, minutes: 0 }), each]));
  return [...midnights]
    .filter(([, day]) => isDigestDay(schedule, day))
    .flatMap(([midnight]) =>
      schedule.times.flatMap((time) => {
        const wanted = midnight + Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
        const found = minutes.findIndex((each) => wallNumber(each) >= wanted);
        const [at, before] = [minutes[found], minutes[found - 1]];
        if (!at || !before) return [];
        if (wallNumber(at) === wanted) return [at.at];
        return [new Date(before.at.getTime() + 60_000 * (wanted - wallNumber(before)))];
      }),
    )
    .sort((a, b) => a.getTime() - b.getTime());
};

const time = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 15, 30, 59)),
  fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })),
);

const schedules: fc.Arbitrary<DigestSchedule> = fc
  .record({
    times: fc.uniqueArray(
      time.map((each) => each.map((part) => String(part).padStart(2, '0')).join(':')),
      { minLength: 1, maxLength: 4 },
    ),
    weekdays: fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 3 }), { nil: undefined }),
  })
  .map(({ times, weekdays }) => ({ times, ...(weekdays && { weekdays }) }));

test('digests come at their time by the wall clock across both clock changes of five zones', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANGES),
      schedules,
      fc.integer({ min: 0, max: 4_000 }),
      (change, schedule, start) => {
        const after = change.minutes[start]?.at ?? new Date(0);
        // The first day of the table is not whole, so its times may be missing there.
        const expected = digestsIn(change, schedule).find((each) => each > after);
        const last = change.minutes.at(-1)?.at ?? after;
        const next = nextDigestAt(schedule, change.timeZone, after);
        assert.ok(next > after);
        if (expected) assert.equal(next.toISOString(), expected.toISOString(), after.toISOString());
        else assert.ok(next > last);
      },
    ),
    { numRuns: 1_000 },
  );
});

const all = (schedule: DigestSchedule, timeZone: string, after: string, count: number): string[] => {
  const found: string[] = [];
  for (let at = new Date(after); found.length < count; found.push(at.toISOString()))
    at = nextDigestAt(schedule, timeZone, at);
  return found;
};

test('a skipped time comes an hour later by the wall clock, a repeated one comes once', () => {
  assert.deepEqual(all({ times: ['02:30'] }, 'Europe/Berlin', '2026-03-28T00:00Z', 3), [
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  assert.deepEqual(all({ times: ['02:30'] }, 'Europe/Berlin', '2026-10-24T12:00Z', 2), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  assert.deepEqual(all({ times: ['02:30', '03:30'] }, 'Europe/Berlin', '2026-03-29T00:00Z', 2), [
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('digests of the last day of the month and of days of the week come on those days', () => {
  assert.deepEqual(all({ times: ['08:00'], daysOfMonth: [-1] }, 'UTC', '2026-01-31T08:00Z', 3), [
    '2026-02-28T08:00:00.000Z',
    '2026-03-31T08:00:00.000Z',
    '2026-04-30T08:00:00.000Z',
  ]);
  assert.deepEqual(all({ times: ['08:00'], weekdays: ['monday'], daysOfMonth: [31] }, 'UTC', '2026-01-01T00:00Z', 2), [
    '2026-08-31T08:00:00.000Z',
    '2027-05-31T08:00:00.000Z',
  ]);
});

const daily = (sendsFirst: boolean) => ({ schedule: { times: ['09:00'] }, sendsFirst });

test('the first message goes out at once and the rest later, and an empty digest is never sent', () => {
  const digest = daily(true);
  const first = placeInDigest(digest, 'UTC', null, new Date('2026-01-01T08:00Z'));
  assert.deepEqual(first, { sendsNow: true, collectsUntil: new Date('2026-01-01T09:00Z') });
  const second = placeInDigest(digest, 'UTC', first.collectsUntil, new Date('2026-01-01T08:30Z'));
  assert.deepEqual(second, { sendsNow: false, collectsUntil: first.collectsUntil });
  const sent = closeDigest(digest, 'UTC', 1, new Date('2026-01-01T09:00Z'));
  assert.deepEqual(sent, { sends: true, collectsUntil: new Date('2026-01-02T09:00Z') });
  const empty = closeDigest(digest, 'UTC', 0, new Date('2026-01-02T09:00Z'));
  assert.deepEqual(empty, { sends: false, collectsUntil: null });
  assert.ok(!placeInDigest(daily(false), 'UTC', null, new Date('2026-01-01T08:00Z')).sendsNow);
});

test('every message of a random sequence is sent once: at once or in one digest', () => {
  const steps = fc.array(fc.record({ hours: fc.integer({ min: 0, max: 30 }), isClosing: fc.boolean() }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, fc.boolean(), (list, sendsFirst) => {
      const digest = daily(sendsFirst);
      let [now, until]: [Date, Date | null] = [new Date('2026-01-01T00:00Z'), null];
      let [pending, told, messages] = [0, 0, 0];
      for (const { hours, isClosing } of list) {
        now = new Date(now.getTime() + hours * 3_600_000);
        if (isClosing && until && until <= now) {
          const closed = closeDigest(digest, 'UTC', pending, now);
          assert.equal(closed.sends, pending > 0);
          [told, pending, until] = [told + pending, 0, closed.collectsUntil];
        } else if (!isClosing) {
          const place = placeInDigest(digest, 'UTC', until, now);
          messages += 1;
          until = place.collectsUntil;
          if (place.sendsNow) told += 1;
          else pending += 1;
        }
        assert.ok(pending === 0 || until !== null, 'what is collected has a time');
      }
      assert.equal(told + pending, messages);
    }),
  );
});
