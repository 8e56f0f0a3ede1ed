import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parser } from '@landfall/kernel/operation/input';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { SEVERITIES, STATUSES } from '../events/event.ts';
import { anAction, anEvent, aRule, when } from '../rules/testing/events.ts';
import { compilePolicies, type Decision, decide, type Policies, type PolicySnapshot } from './decision.ts';
import { checkFlappingPolicy, flappingPolicy as flappingSchema } from './flapping.ts';
import { checkInhibition, inhibition as inhibitionSchema } from './inhibition.ts';
import { checkQuietHours, type QuietHours, quietHours as quietHoursSchema } from './quiet-hours.ts';
import { checkWindow, maintenance as maintenanceSchema, silence as silenceSchema } from './silence.ts';
import { throttleKey } from './throttle.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const PROD = [when('attributes.environment', 'eq', 'prod')];

const window = {
  id: 'window',
  name: 'Database upgrade',
  startsAt: '2026-03-10T11:00:00Z',
  endsAt: '2026-03-10T13:00:00Z',
};
const silence = { ...window, matchers: PROD, reason: 'database upgrade', createdBy: 'Ada' };
const maintenance = { ...window, matchers: PROD };
const inhibition = {
  id: 'inhibition',
  name: 'Cluster down',
  sourceMatchers: [when('kind', 'eq', 'cluster.down')],
  targetMatchers: [when('severity', 'lte', 'warning')],
  equal: ['attributes.cluster'],
};
const noon = { id: 'noon', name: 'Lunch', timeZone: 'UTC', periods: [{ times: [{ from: '11:30', to: '12:30' }] }] };
const evening = {
  id: 'evening',
  name: 'Evenings',
  timeZone: 'UTC',
  periods: [{ times: [{ from: '18:00', to: '20:00' }] }],
};
const hours: QuietHours = { id: 'ada', name: 'Ada', timeZone: 'Europe/Berlin', from: '12:00', to: '14:00' };
const flapping = {
  id: 'flapping',
  name: 'Flapping checks',
  matchers: PROD,
  minChanges: 4,
  windowSeconds: 600,
  quietSeconds: 900,
};

const snapshot = (policies: Partial<Policies> = {}, changes: Partial<PolicySnapshot> = {}): PolicySnapshot => ({
  now: NOW,
  timeZone: 'Europe/Berlin',
  policies: compilePolicies({
    maintenance: [],
    silences: [],
    inhibitions: [],
    timeIntervals: [noon, evening],
    flapping: [],
    quietHours: [],
    ...policies,
  }),
  firing: [],
  quietHours: [],
  flapping: null,
  counts: new Map(),
  ...changes,
});

const rule = (changes = {}) => aRule({ id: 'rule', name: 'Failures', actions: [anAction(changes)] });

const reasonOf = (decision: Decision): string =>
  decision.kind === 'send' ? 'send' : `${decision.policy.kind}: ${decision.reason}`;

test('an event without a policy is sent', () => {
  assert.deepEqual(decide(anEvent(), rule(), 0, snapshot()), { kind: 'send' });
  assert.throws(() => decide(anEvent(), rule(), 1, snapshot()), RangeError);
});

test('a silence says until when, who and why, in the time zone of the reader', () => {
  const decision = decide(anEvent(), rule(), 0, snapshot({ silences: [silence] }));
  assert.deepEqual(decision, {
    kind: 'suppress',
    policy: { kind: 'silence', id: 'window', name: 'Database upgrade' },
    reason: 'Silenced until 14:00 by Ada: database upgrade',
  });
  const long = { ...silence, id: 'long', endsAt: '2026-03-12T23:30:00Z' };
  const longer = decide(anEvent(), rule(), 0, snapshot({ silences: [long, silence] }));
  assert.equal(reasonOf(longer), 'silence: Silenced until 13 Mar 2026, 00:30 by Ada: database upgrade');
});

test('a silence is over at its end and has not begun before its start', () => {
  for (const [now, kind] of [
    ['10:59:59', 'send'],
    ['11:00:00', 'suppress'],
    ['12:59:59', 'suppress'],
    ['13:00:00', 'send'],
  ] as const) {
    const at = new Date(`2026-03-10T${now}Z`);
    assert.equal(decide(anEvent(), rule(), 0, snapshot({ silences: [silence] }, { now: at })).kind, kind, now);
  }
  assert.equal(decide(anEvent({ attributes: {} }), rule(), 0, snapshot({ silences: [silence] })).kind, 'send');
  const broken = { ...silence, matchers: [when('kind', 'regex', '(')] };
  assert.equal(decide(anEvent(), rule(), 0, snapshot({ silences: [broken] })).kind, 'send');
});

test('maintenance keeps what begins in it and lets through what was acknowledged or ended', () => {
  const of = (status: 'firing' | 'acknowledged' | 'resolved') =>
    reasonOf(decide(anEvent({ status }), rule(), 0, snapshot({ maintenance: [maintenance] })));
  assert.equal(of('firing'), 'maintenance: Maintenance until 14:00: Database upgrade');
  assert.deepEqual([of('acknowledged'), of('resolved')], ['send', 'send']);
});

test('an event is inhibited by one that fires with the same values', () => {
  const source = anEvent({
    eventId: 'source',
    kind: 'cluster.down',
    severity: 'critical',
    attributes: { cluster: 'eu' },
  });
  const inhibits = (...firing: (typeof source)[]) =>
    reasonOf(
      decide(
        anEvent({ attributes: { cluster: 'eu' } }),
        rule(),
        0,
        snapshot({ inhibitions: [inhibition] }, { firing }),
      ),
    );
  assert.equal(inhibits(source), 'inhibition: Inhibited by Cluster down: cluster.down of platform fires since 13:00');
  assert.equal(inhibits({ ...source, attributes: { cluster: 'us' } }), 'send');
  assert.equal(inhibits({ ...source, attributes: {} }), 'send');
  assert.equal(inhibits({ ...source, status: 'resolved' }), 'send');
  assert.equal(inhibits(), 'send');
});

test('events that are source and target do not inhibit each other or themselves', () => {
  const both = { ...inhibition, targetMatchers: [when('severity', 'exists', true)] };
  const [one, other] = ['one', 'other'].map((eventId) => anEvent({ eventId, kind: 'cluster.down' }));
  assert.ok(one && other);
  const of = (target: typeof one) =>
    decide(target, rule(), 0, snapshot({ inhibitions: [both] }, { firing: [one, other] })).kind;
  assert.deepEqual([of(one), of(other), of(anEvent({ kind: 'other' }))], ['send', 'send', 'suppress']);
});

test('a muted interval holds until its end, an active one until its beginning', () => {
  const muted = decide(anEvent(), rule({ mutedDuring: ['evening', 'noon'] }), 0, snapshot());
  assert.deepEqual(muted, {
    kind: 'hold',
    until: new Date('2026-03-10T12:30:00Z'),
    policy: { kind: 'muted_interval', id: 'noon', name: 'Lunch' },
    reason: 'Muted during Lunch until 13:30',
  });
  const inactive = decide(anEvent(), rule({ activeDuring: ['evening'] }), 0, snapshot());
  assert.ok(inactive.kind === 'hold' && inactive.until.getTime() === Date.parse('2026-03-10T18:00:00Z'));
  assert.equal(inactive.reason, 'Outside Evenings, which is not active until 19:00');
  assert.equal(decide(anEvent(), rule({ activeDuring: ['evening', 'noon'] }), 0, snapshot()).kind, 'send');
  assert.equal(
    decide(anEvent(), rule({ activeDuring: ['removed'], mutedDuring: ['removed'] }), 0, snapshot()).kind,
    'send',
  );
  const past = { ...evening, periods: [{ years: [{ from: 2020, to: 2021 }] }] };
  const never = decide(anEvent(), rule({ activeDuring: ['evening'] }), 0, snapshot({ timeIntervals: [past] }));
  assert.equal(reasonOf(never), 'active_interval: Outside Evenings, which is not active for the whole coming year');
});

test('quiet hours hold what is not critical until their end', () => {
  const quiet = snapshot({}, { quietHours: [hours] });
  const decision = decide(anEvent(), rule(), 0, quiet);
  assert.ok(decision.kind === 'hold' && decision.until.getTime() === Date.parse('2026-03-10T13:00:00Z'));
  assert.equal(reasonOf(decision), 'quiet_hours: Quiet hours of Ada until 14:00');
  assert.equal(decide(anEvent({ severity: 'critical' }), rule(), 0, quiet).kind, 'send');
});

test('a quiet night of a weekday ends on the next morning, also when the clock changes in it', () => {
  const until = (now: string, changes: Partial<QuietHours>): string => {
    const quietHours = [{ ...hours, from: '22:00', to: '07:00', ...changes }];
    const decision = decide(anEvent(), rule(), 0, snapshot({}, { now: new Date(now), quietHours }));
    return decision.kind === 'hold' ? decision.until.toISOString() : decision.kind;
  };
  const saturdays: Partial<QuietHours> = { weekdays: ['saturday'] };
  assert.equal(until('2026-03-28T21:30:00Z', saturdays), '2026-03-29T05:00:00.000Z');
  assert.equal(until('2026-10-24T20:30:00Z', saturdays), '2026-10-25T06:00:00.000Z');
  assert.equal(until('2026-10-25T05:59:00Z', saturdays), '2026-10-25T06:00:00.000Z');
  assert.equal(until('2026-10-25T21:30:00Z', saturdays), 'send');
  assert.equal(until('2026-10-24T05:30:00Z', { weekdays: ['sunday'] }), 'send');
  assert.equal(until('2026-10-24T21:30:00Z', { to: '00:00' }), '2026-10-24T22:00:00.000Z');
});

test('a throttle counts the messages of its key', () => {
  const throttled = rule({ throttle: { key: ['attributes.environment'], max: 2, windowSeconds: 600 } });
  const key = throttleKey(anEvent(), throttled, 0);
  assert.ok(key && key !== throttleKey(anEvent({ attributes: {} }), throttled, 0));
  const at = (count: number) =>
    reasonOf(decide(anEvent(), throttled, 0, snapshot({}, { counts: new Map([[key, count]]) })));
  assert.deepEqual([at(0), at(1)], ['send', 'send']);
  assert.equal(at(2), 'throttle: Throttled by the rule Failures: 2 messages in 10 minutes at most');
  assert.equal(throttleKey(anEvent(), rule(), 0), undefined);
});

test('flapping is told when it starts and not while it continues', () => {
  const of = (effect: 'started' | 'continues') =>
    reasonOf(decide(anEvent(), rule(), 0, snapshot({}, { flapping: { policy: flapping, effect } })));
  assert.equal(of('started'), 'send');
  const told = 'Told once, and again after 15 minutes without a change';
  assert.equal(of('continues'), `flapping: Flapping (Flapping checks): 4 changes in 10 minutes. ${told}`);
});

const ORDER = [
  'maintenance',
  'silence',
  'inhibition',
  'flapping',
  'muted_interval',
  'active_interval',
  'quiet_hours',
  'throttle',
];

const SOURCE = anEvent({ eventId: 'source', kind: 'cluster.down' });
const ONE_A_MINUTE = { key: [], max: 1, windowSeconds: 60 };
const KEY = throttleKey(anEvent(), rule({ throttle: ONE_A_MINUTE }), 0) ?? '';

/** Rule and snapshot in which policies of some kinds apply, unless the event passes them. */
const withPolicies = (kinds: readonly string[]) => {
  const only = <T>(kind: string, value: T): T[] => (kinds.includes(kind) ? [value] : []);
  const [throttle] = only('throttle', ONE_A_MINUTE);
  const [flaps] = only('flapping', { policy: flapping, effect: 'continues' } as const);
  const action = { mutedDuring: only('muted_interval', 'noon'), activeDuring: only('active_interval', 'evening') };
  const policies = {
    maintenance: only('maintenance', maintenance),
    silences: only('silence', silence),
    inhibitions: only('inhibition', inhibition),
  };
  const quietHours = only('quiet_hours', hours);
  return {
    rule: rule({ ...action, ...(throttle && { throttle }) }),
    state: snapshot(policies, { firing: [SOURCE], quietHours, flapping: flaps ?? null, counts: new Map([[KEY, 1]]) }),
  };
};

test('of all policies that apply the first in their order answers', () => {
  fc.assert(
    fc.property(
      fc.subarray(ORDER),
      fc.constantFrom(...STATUSES),
      fc.constantFrom(...SEVERITIES),
      (kinds, status, severity) => {
        const { rule, state } = withPolicies(kinds);
        const passes = new Set([
          ...(status === 'firing' ? [] : ['maintenance']),
          ...(severity === 'critical' ? ['quiet_hours', 'inhibition'] : []),
        ]);
        const decision = decide(anEvent({ status, severity }), rule, 0, state);
        const first = kinds.find((kind) => !passes.has(kind));
        assert.equal(decision.kind === 'send' ? undefined : decision.policy.kind, first);
      },
    ),
    { numRuns: 500 },
  );
});

test('the schemas take what the tests use and refuse other fields and windows without matchers', () => {
  const id = '00000000-0000-4000-8000-000000000004';
  const takes = (schema: TSchema, input: object): void => {
    assert.deepEqual(parser(schema)({ ...input, id }), { ...input, id });
    assert.throws(() => parser(schema)({ ...input, id, isDraft: true }), { name: 'Fault' });
  };
  takes(silenceSchema, silence);
  takes(maintenanceSchema, maintenance);
  takes(inhibitionSchema, inhibition);
  takes(quietHoursSchema, hours);
  takes(flappingSchema, flapping);
  assert.deepEqual(checkFlappingPolicy({ matchers: [when('kind', 'regex', '(')] }).length, 1);
  for (const schema of [silenceSchema, maintenanceSchema])
    assert.throws(() => parser(schema)({ ...silence, id, matchers: [] }), { name: 'Fault' });
});

test('what a policy cannot mean is refused with its field', () => {
  assert.deepEqual(
    checkWindow({ ...window, matchers: [when('kinds', 'eq', 'a')], endsAt: window.startsAt }).map(({ field }) => field),
    ['matchers.0.path', 'endsAt'],
  );
  const sides = {
    sourceMatchers: [when('kind', 'regex', '(')],
    targetMatchers: [when('kind', 'semver', '?')],
    equal: ['kind', 'label'],
  };
  assert.deepEqual(
    checkInhibition(sides).map(({ field }) => field),
    ['sourceMatchers.0.values', 'targetMatchers.0.values', 'equal.1'],
  );
  assert.deepEqual(
    checkQuietHours({ timeZone: 'Here', from: '10:00', to: '10:00' }).map(({ field }) => field),
    ['timeZone', 'to'],
  );
});
