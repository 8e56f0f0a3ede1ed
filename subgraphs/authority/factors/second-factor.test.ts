import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testDeps } from '@landfall/kernel/testing/app';
import { Secret, TOTP } from 'otpauth';
import { createBootstrap } from '../operator/bootstrap.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import { clearFactors, createFactors } from './factors.ts';

const relyingParty = { issuer: 'http://localhost:4001', baseUrl: 'http://localhost:4000' };
const STEP_MS = 30_000;

const people = async () => {
  const base = await testDeps();
  const { ensureTenant, ensureUser } = createBootstrap(base.deps);
  const person = async (slug: string, username: string) => {
    const tenant = await ensureTenant({ tenant: slug, name: slug });
    const seed = { tenant: slug, username, displayName: username, password: 'correct horse battery', roles: [] };
    const userId = toId(await ensureUser(seed), 'User');
    return auditActor(tenant, userId, 'user', { requestId: 'test' });
  };
  const [ada, bob] = [await person('acme', 'ada'), await person('globex', 'bob')];
  return { ...base, ada, bob, factors: createFactors(base.deps, relyingParty) };
};
type Setup = Awaited<ReturnType<typeof people>>;

/** Code that the person's app shows now. */
const appOf = ({ clock }: Setup, text: string) => {
  const secret = Secret.fromBase32(text.replaceAll(' ', ''));
  return (later = 0) => TOTP.generate({ secret, timestamp: clock.now().getTime() + later * STEP_MS });
};

const enrolled = async (setup: Setup, person = setup.ada) => {
  const { secondFactor } = setup.factors;
  const show = appOf(setup, (await secondFactor.begin(person)).secret);
  const codes = await secondFactor.confirm(person, show());
  assert.ok(codes);
  await setup.clock.advance(STEP_MS);
  return { show, codes };
};

const factsOf = ({ deps, factors }: Setup, person: Setup['ada']) =>
  deps.database.read(person.tenant, (query) => factors.summaryOf(query, person.tenant, toId(person.subject, 'User')));

const WRONG = '000000';

test('a second factor is on once a code of it was shown, and brings ten recovery codes', async () => {
  await using setup = await people();
  const { ada, factors } = setup;
  const { secret } = await factors.secondFactor.begin(ada);
  const show = appOf(setup, secret);
  assert.equal(await factors.secondFactor.confirm(ada, show(5)), undefined);
  assert.deepEqual(await factsOf(setup, ada), { totp: false, passkeys: 0, recoveryCodes: 0 });
  assert.equal((await factors.verifyCode(ada, show())).accepted, undefined, 'it does not count before');
  assert.equal((await factors.secondFactor.waiting(ada))?.secret, secret);
  assert.equal((await factors.secondFactor.confirm(ada, show()))?.length, 10);
  assert.deepEqual(await factsOf(setup, ada), { totp: true, passkeys: 0, recoveryCodes: 10 });
  await assert.rejects(factors.secondFactor.begin(ada), { code: 'RES_CONFLICT' });
  await assert.rejects(factors.secondFactor.confirm(ada, show(1)), { code: 'RES_CONFLICT' });
});

test('a code is accepted once, the one it was turned on with not again, and none older than the last', async () => {
  await using setup = await people();
  const { ada, factors } = setup;
  const { show } = await enrolled(setup);
  assert.equal((await factors.verifyCode(ada, show(-1))).accepted, undefined);
  assert.equal((await factors.verifyCode(ada, show(1))).accepted, 'totp');
  assert.equal((await factors.verifyCode(ada, show(1))).accepted, undefined);
  assert.equal((await factors.verifyCode(ada, show())).accepted, undefined);
  await setup.clock.advance(2 * STEP_MS);
  assert.equal((await factors.verifyCode(ada, show())).accepted, 'totp');
});

test('of eight uses of a code at once exactly one is accepted', async () => {
  await using setup = await people();
  const { show, codes } = await enrolled(setup);
  for (const code of [show(), codes[0] ?? '']) {
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => setup.factors.verifyCode(setup.ada, code)));
    assert.equal(verdicts.filter(({ accepted }) => accepted !== undefined).length, 1);
    await setup.clock.advance(3_600_000);
  }
});

test('a recovery code is good once, is told of in the trail, and is somebody’s own', async () => {
  await using setup = await people();
  const { ada, bob, factors } = setup;
  const { codes } = await enrolled(setup);
  await enrolled(setup, bob);
  const [first = '', second = ''] = codes;
  assert.equal((await factors.verifyCode(bob, first)).accepted, undefined);
  assert.deepEqual(await factors.verifyCode(ada, first.toUpperCase()), { accepted: 'recovery', recoveryCodes: 9 });
  assert.equal((await factors.verifyCode(ada, first)).accepted, undefined);
  const renewed = await factors.secondFactor.renewRecoveryCodes(ada);
  assert.equal((await factors.verifyCode(ada, second)).accepted, undefined);
  assert.deepEqual(await factors.verifyCode(ada, renewed[9] ?? ''), { accepted: 'recovery', recoveryCodes: 9 });
});

test('guesses must wait longer and longer but never for ever, and nobody else waits', async () => {
  await using setup = await people();
  const { ada, bob, factors, clock } = setup;
  const [own, other] = [await enrolled(setup), await enrolled(setup, bob)];
  const remaining = [];
  for (let i = 0; i < 5; i++) remaining.push(await factors.verifyCode(ada, WRONG));
  assert.deepEqual(
    remaining.map((verdict) => verdict.accepted === undefined && [verdict.waitMs, verdict.attemptsLeft]),
    [4, 3, 2, 1, 0].map((attemptsLeft) => [0, attemptsLeft]),
  );
  const blocked = await factors.verifyCode(ada, own.show());
  assert.ok(blocked.accepted === undefined && blocked.waitMs > 0);
  assert.equal((await factors.verifyCode(bob, other.show())).accepted, 'totp');
  for (let i = 0; i < 20; i++) {
    await clock.advance(900_000);
    const verdict = await factors.verifyCode(ada, WRONG);
    assert.ok(verdict.accepted === undefined && verdict.waitMs === 0, 'a quarter of an hour is the longest wait');
  }
  await clock.advance(900_000);
  assert.equal((await factors.verifyCode(ada, own.show())).accepted, 'totp');
});

test('turning it off takes secret and codes away, and a reset takes all', async () => {
  await using setup = await people();
  const { ada, factors, deps } = setup;
  const { show } = await enrolled(setup);
  await factors.secondFactor.disable(ada);
  await assert.rejects(factors.secondFactor.disable(ada), { code: 'RES_CONFLICT' });
  assert.equal((await factors.verifyCode(ada, show())).accepted, undefined);
  assert.deepEqual(await factsOf(setup, ada), { totp: false, passkeys: 0, recoveryCodes: 0 });
  await enrolled(setup);
  await deps.database.write(ada.tenant, (tx) => clearFactors(tx, ada.tenant, toId(ada.subject, 'User')));
  assert.deepEqual(await factsOf(setup, ada), { totp: false, passkeys: 0, recoveryCodes: 0 });
});

test('neither the secret nor a code is in a row or an event', async () => {
  await using setup = await people();
  const { ada, deps } = setup;
  const { secret: code } = await setup.factors.secondFactor.begin(ada);
  const codes = (await setup.factors.secondFactor.confirm(ada, appOf(setup, code)())) ?? [];
  const stored = table('kept', { row: text });
  const rows = await deps.database.read(ada.tenant, (query) =>
    query.list(
      stored,
      sql`select t::text as row from authority.totp_secrets t union all select c::text from authority.recovery_codes c
      union all select e::text from kernel.events e`,
    ),
  );
  const secret = Secret.fromBase32(code.replaceAll(' ', ''));
  const all = rows.map(({ row }) => row).join('\n');
  assert.ok(rows.length >= 12 && all.includes('totp.enable'));
  for (const hidden of [secret.hex.toLowerCase(), secret.base32, ...codes]) assert.equal(all.includes(hidden), false);
});
