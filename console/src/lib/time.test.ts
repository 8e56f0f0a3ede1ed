import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, ago, clocks, instant, measured, relative, span, zoneCity, zoneName, zones } from './time.ts';

const AT = '2026-11-20T14:03:22.000Z';
const later = (ms: number) => new Date(Date.parse(AT) + ms);

test('an instant is written in the zone that was chosen, and the zone is named', () => {
  assert.equal(instant(AT, 'UTC', 'clock'), '14:03:22 UTC');
  assert.equal(instant(AT, 'Europe/Berlin', 'clock'), '15:03:22 GMT+1');
  assert.equal(instant(AT, 'Asia/Kathmandu', 'clock'), '19:48:22 GMT+5:45');
  assert.equal(instant(AT, 'UTC', 'minute', later(0).getTime()), 'Fri 20 Nov, 14:03 UTC');
});

test('an instant half a year away has its year', () => {
  const day = 24 * 3_600_000;
  const seen = (ms: number) => instant(AT, 'UTC', 'minute', later(ms).getTime());
  assert.deepEqual([182 * day, 183 * day, -183 * day].map(seen), [
    'Fri 20 Nov, 14:03 UTC',
    '20 Nov 2026, 14:03 UTC',
    '20 Nov 2026, 14:03 UTC',
  ]);
});

test('midnight is 00, not 24', () => {
  assert.equal(instant('2026-11-20T00:00:00Z', 'UTC', 'clock'), '00:00:00 UTC');
});

test('the night the clocks go back tells its two half past twos apart', () => {
  const first = instant('2026-10-25T00:30:00Z', 'Europe/Berlin', 'clock');
  const second = instant('2026-10-25T01:30:00Z', 'Europe/Berlin', 'clock');
  assert.equal(first, '02:30:00 GMT+2');
  assert.equal(second, '02:30:00 GMT+1');
});

test('the zone has the name that holds at that instant', () => {
  assert.equal(zoneName('America/New_York', new Date('2026-01-10T00:00:00Z')), 'EST');
  assert.equal(zoneName('America/New_York', new Date('2026-07-10T00:00:00Z')), 'EDT');
  assert.equal(zoneCity('America/Argentina/Buenos_Aires'), 'Buenos Aires');
});

test('two clocks and the distance', () => {
  assert.deepEqual(clocks(AT, 'Asia/Kathmandu', later(4 * 3_600_000 + 49 * 60_000)), [
    'UTC  20 Nov 2026, 14:03:22 UTC',
    'Kathmandu  20 Nov 2026, 19:48:22 GMT+5:45',
    '4 h 49 min ago',
  ]);
});

test('distances run both ways and are quiet about the present', () => {
  assert.equal(relative(AT, later(2000)), 'just now');
  assert.equal(relative(AT, later(-(3 * 3_600_000 + 57 * 60_000))), 'in 3 h 57 min');
  assert.equal(ago(AT, later(3 * 3_600_000 + 57 * 60_000)), '3 h ago');
});

test('a length has its two largest units, an age its largest', () => {
  assert.deepEqual([900, 59_999, 60_000, 1_342_000, 7_200_000, 90_000_000].map(span), [
    '0 s',
    '59 s',
    '1 min',
    '22 min 22 s',
    '2 h',
    '1 d 1 h',
  ]);
  assert.deepEqual([59_999, 1_342_000, 7_200_000, 90_000_000].map(age), ['59 s', '22 min', '2 h', '1 d']);
});

test('a measured step has tenths while they matter', () => {
  assert.deepEqual([60, 1234, 30_000].map(measured), ['0.1 s', '1.2 s', '30 s']);
});

test('UTC is offered first, and once', () => {
  assert.equal(zones()[0], 'UTC');
  assert.equal(zones().filter((zone) => zone === 'UTC').length, 1);
});
