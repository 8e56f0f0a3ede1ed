import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, byFeature, type Destination } from './destinations.ts';

const destination = (feature: string, host: string, allowed: boolean): Destination => ({
  __typename: 'PreflightDestination',
  feature,
  source: null,
  host,
  port: 443,
  transport: 'HTTPS',
  allowed,
  reason: allowed ? null : 'no_rule_matches',
  lastSeenAt: null,
});

test('destinations are grouped by feature, what would break first', () => {
  const groups = byFeature([
    destination('registry', 'a.example', true),
    destination('notifier', 'b.example', true),
    destination('notifier', 'c.example', false),
  ]);
  assert.deepEqual(
    groups.map(({ feature, breaking, destinations }) => [feature, breaking, destinations.map(({ host }) => host)]),
    [
      ['notifier', 1, ['c.example', 'b.example']],
      ['registry', 0, ['a.example']],
    ],
  );
});

test('an address is written as in a URL, and a row that stands for many destinations without a port', () => {
  assert.equal(address({ host: 'a.example', port: 443 }), 'a.example:443');
  assert.equal(address({ host: 'fd00::1', port: 8080 }), '[fd00::1]:8080');
  assert.equal(address({ host: '*', port: 0 }), '*');
});
