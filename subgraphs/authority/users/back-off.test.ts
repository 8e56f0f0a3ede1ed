import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integer } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';
import { type BackOff, createBackOff } from './back-off.ts';
import { networkOf } from './network.ts';

const started = async () => {
  const app = await testApp({ createModule: makeAuthority });
  return { app, backOff: createBackOff(app.deps.database), [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
};

const attempt = async (backOff: BackOff, attempts: Iterable<readonly [username: string, address: string]>) => {
  let waits = 0;
  for (const [username, address] of attempts) if (!(await backOff.recordAttempt(username, address)).allowed) waits++;
  return waits;
};

const times = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n));

test('an IPv6 address counts as its /64, an IPv4 address as itself', () => {
  const cases = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:DB8:1:2::9': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '1::': '1:0:0:0::/64',
    '': '',
    'a name': 'a name',
  };
  for (const [address, network] of Object.entries(cases)) assert.equal(networkOf(address), network, address);
});

test('whoever has a whole /64 has no more tries than whoever has one address', async () => {
  await using home = await started();
  const { backOff } = home;
  const waits = await attempt(
    backOff,
    times(20, (n) => ['ada', `2001:db8::${n + 1}`] as const),
  );
  assert.equal(waits, 15);
});

test('guesses at one name from everywhere wait; where its owner signs in nobody waits for them', async () => {
  await using home = await started();
  const { backOff } = home;
  await backOff.recordAttempt('ada', '198.51.100.7');
  await backOff.recordSuccess('ada', '198.51.100.7');
  const waits = await attempt(
    backOff,
    times(140, (n) => ['ada', `192.0.2.${n + 1}`] as const),
  );
  assert.equal(waits, 40);
  assert.deepEqual(await backOff.recordAttempt('ada', '198.51.100.7'), { allowed: true, attemptsLeft: 4 });
  assert.equal((await backOff.recordAttempt('ben', '192.0.2.200')).allowed, true);
  await home.app.clock.advance(2_000);
  assert.equal((await backOff.recordAttempt('ada', '192.0.2.201')).allowed, true);
});

test('a try at an address that waits counts against no name and leaves no row', async () => {
  await using home = await started();
  const { app, backOff } = home;
  assert.equal(
    await attempt(
      backOff,
      times(100, (n) => [`guess${n}`, '192.0.2.1'] as const),
    ),
    0,
  );
  const counts = table('attempts', { rows: integer });
  const count = sql`select count(*)::integer as rows from authority.sign_in_attempts`;
  const rows = async () => (await app.deps.database.system.read((query) => query.get(counts, count))).rows;
  const before = await rows();
  const more = [
    ...times(10, (n) => [`more${n}`, '192.0.2.1'] as const),
    ...times(10, () => ['amir', '192.0.2.1'] as const),
  ];
  assert.equal(await attempt(backOff, more), 20);
  assert.equal(await rows(), before);
  await app.clock.advance(60_000);
  assert.deepEqual(await backOff.recordAttempt('amir', '192.0.2.1'), { allowed: true, attemptsLeft: 4 });
});
