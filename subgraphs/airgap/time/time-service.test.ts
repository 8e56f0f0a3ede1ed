import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { after, test } from 'node:test';
import { startTimestampAuthority } from '@landfall/attestation/testing/timestamp-authority';
import { pae } from '@landfall/kernel/crypto/dsse';
import fc from 'fast-check';
import { airgapApp, operator, stranger, TIME_OPTIONS, viewer } from '../testing/airgap-app.ts';
import { freshnessOf } from './staleness.ts';
import { createTenantTime } from './tenant-time.ts';
import { parseTrustRoots } from './trust-roots.ts';
import { trustedNow } from './trusted-now.ts';
import { ANCHOR_TYPE } from './verify-anchor.ts';

const authority = await startTimestampAuthority();
after(() => authority[Symbol.asyncDispose]());

const pemOf = (certificates: readonly Buffer[]): string =>
  certificates
    .map((der) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`)
    .join('');

const AUTHORITY_PEM = pemOf(authority.certificates);

const keyPem = (key: KeyObject): string => String(createPublicKey(key).export({ format: 'pem', type: 'spki' }));

/** The air gap with trust roots in PEM. */
const appWith = (pem: string, overrides: Partial<typeof TIME_OPTIONS> = {}) =>
  airgapApp(() => ({ time: { ...TIME_OPTIONS, roots: parseTrustRoots(pem, 'test'), ...overrides } }));

type App = Awaited<ReturnType<typeof airgapApp>>;

const challengeOf = async (app: App, who = viewer) => (await app.module.time.status(who, {})).challenge;

/** Token of the authority over the current challenge, by the request that the service gives. */
const stamped = async (app: App, who = viewer): Promise<string> => {
  const { data } = await challengeOf(app, who);
  return (await authority.timestamp(Buffer.from(data), '-sha256 -cert -no_nonce')).toString('base64');
};

const anchor = (app: App, token: string | undefined, overrides: object = {}) =>
  app.module.time.setAnchor(operator, { source: 'rfc3161', token, ...overrides });

/** Statement of an operator in a DSSE envelope, in base64. */
const stated = (key: KeyObject, statement: object): string => {
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign('sha256', pae(ANCHOR_TYPE, payload), key).toString('base64');
  const envelope = { payloadType: ANCHOR_TYPE, payload: payload.toString('base64'), signatures: [{ keyid: '', sig }] };
  return Buffer.from(JSON.stringify(envelope)).toString('base64');
};

test('a timestamp of OpenSSL over the challenge is an anchor, once (spec: 4.6/time-anchor)', async () => {
  await using app = await appWith(AUTHORITY_PEM);
  assert.equal((await app.module.time.status(viewer, {})).state, 'unknown');
  const token = await stamped(app);

  const accepted = await anchor(app, token);

  assert.equal(accepted.anchor?.trusted, true);
  assert.equal(accepted.anchor?.source, 'rfc3161');
  // The test's clock stands in the past: the anchor is what the time is.
  assert.equal(accepted.now.getTime(), accepted.anchor?.anchorTime.getTime());
  assert.equal(accepted.state, 'fresh');
  await assert.rejects(anchor(app, token), { code: 'airgap_anchor_replayed' });
});

test('roots alone are trusted, before, between and after chains', async () => {
  const [leaf, root] = authority.certificates;
  const [, other] = await authority.foreign();
  for (const certificates of [[root], [other, root], [other, leaf, root], [leaf, root, other]]) {
    await using app = await appWith(pemOf(certificates.filter((each) => each !== undefined)));
    assert.equal((await anchor(app, await stamped(app))).anchor?.trusted, true);
  }
});

test('an answer to an earlier challenge is a replay, and one to another tenant’s is foreign', async () => {
  await using app = await appWith(AUTHORITY_PEM);
  const [first, second] = [await stamped(app), await stamped(app)];
  await anchor(app, first);

  await assert.rejects(anchor(app, second), { code: 'airgap_anchor_replayed' });
  const token = await stamped(app, stranger);
  await assert.rejects(anchor(app, token), { code: 'airgap_anchor_foreign' });
  await assert.rejects(anchor(app, Buffer.from('no token').toString('base64')), { code: 'airgap_anchor_rejected' });
  await assert.rejects(anchor(app, 'ä'), { code: 'VAL_INVALID_FORMAT' });
});

test('an unknown authority’s anchor is kept, counts nowhere, and does not displace a trusted one', async () => {
  await using app = await appWith('');
  const kept = await anchor(app, await stamped(app));
  assert.equal(kept.state, 'untrusted');
  assert.equal(kept.anchor?.trusted, false);
  await assert.rejects(
    app.deps.database.read(operator.tenant, (query) => app.module.times.require(query, operator.tenant)),
    { code: 'airgap_anchor_unusable' },
  );

  await using lenient = await appWith('', { allowsUntrusted: true });
  assert.equal((await anchor(lenient, await stamped(lenient))).state, 'fresh');
});

test('a request brings trust roots only where the installation takes them', async () => {
  await using strict = await appWith('');
  await assert.rejects(anchor(strict, await stamped(strict), { trustRoots: AUTHORITY_PEM }), {
    code: 'airgap_anchor_rejected',
  });
  await using app = await appWith('', { allowsRequestRoots: true });
  assert.equal((await anchor(app, await stamped(app), { trustRoots: AUTHORITY_PEM })).state, 'fresh');
});

test('an operator’s signed statement is an anchor; another key’s is not trusted, and an older one is refused', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  await using app = await appWith(keyPem(privateKey));
  const state = async (key: KeyObject, anchorTime: string, more: object = {}) =>
    anchor(app, stated(key, { tenantId: 'acme', nonce: (await challengeOf(app)).nonce, anchorTime, ...more }), {
      source: 'operator_dsse',
    });

  assert.equal((await state(privateKey, '2026-01-15T10:00:00Z', { accuracySeconds: 5 })).state, 'fresh');
  const other = await state(foreign, '2026-01-16T10:00:00Z');
  assert.equal(other.anchor?.anchorTime.toISOString(), '2026-01-15T10:00:00.000Z');
  assert.equal(other.now.toISOString(), '2026-01-15T10:00:00.000Z');
  await assert.rejects(state(privateKey, '2026-01-15T09:59:50Z'), { code: 'airgap_anchor_replayed' });
  await assert.rejects(state(privateKey, '2026-01-15T10:00:00Z', { tenantId: 'globex' }), {
    code: 'airgap_anchor_foreign',
  });
  await assert.rejects(state(privateKey, '2026-01-15T10:00:00Z', { nonce: '00' }), { code: 'airgap_anchor_foreign' });
  await assert.rejects(state(privateKey, 'yesterday'), { code: 'airgap_anchor_rejected' });
});

test('an anchor of a root that was removed displaces none of another root', async () => {
  const [kept, removed] = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  assert.ok(kept && removed);
  await using app = await appWith(keyPem(kept) + keyPem(removed));
  for (const [key, anchorTime] of [
    [kept, '2026-01-15T09:00:00Z'],
    [removed, '2026-01-15T09:30:00Z'],
  ] as const) {
    const token = stated(key, { tenantId: 'acme', nonce: (await challengeOf(app)).nonce, anchorTime });
    await anchor(app, token, { source: 'operator_dsse' });
  }
  const timeWith = (pem: string, more: Partial<typeof TIME_OPTIONS> = {}) =>
    app.deps.database.read(operator.tenant, (query) =>
      createTenantTime({
        clock: app.deps.clock,
        options: { ...TIME_OPTIONS, roots: parseTrustRoots(pem, 'test'), ...more },
        readMonotonicClock: () => app.monotonic,
      }).read(query, operator.tenant),
    );

  const { state, anchor: counted } = await timeWith(keyPem(kept));
  assert.deepEqual([state, counted?.anchorTime.toISOString()], ['fresh', '2026-01-15T09:00:00.000Z']);
  const requested = await timeWith(keyPem(kept), { allowsRequestRoots: true });
  assert.equal(requested.anchor?.anchorTime.toISOString(), '2026-01-15T09:30:00.000Z');
  assert.equal((await timeWith('')).state, 'untrusted');
});

test('a clock set back makes nothing fresh for a tenant that never had an anchor', async () => {
  const dates = { advisories: new Date('2026-01-15T08:00:00Z'), vex: null, policy: null };
  await using app = await airgapApp(() => ({ contentDates: async () => dates }));
  const state = async () => (await app.module.time.status(viewer, {})).content[0]?.state;
  await app.module.storeClocks();
  assert.equal(await state(), 'warning');
  await app.clock.advance(-3_600_000);
  assert.equal(await state(), 'warning');
});

test('an anchor far ahead of the clock is marked', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await using app = await appWith(keyPem(privateKey));
  const { nonce } = await challengeOf(app);
  const token = stated(privateKey, { tenantId: 'acme', nonce, anchorTime: '2026-01-15T09:05:01Z' });
  assert.equal((await anchor(app, token, { source: 'operator_dsse' })).anchor?.isFuture, true);
});

test('another tenant’s name in the request is refused (spec: 4.6/time-anchor-tenant)', async () => {
  await using app = await appWith(AUTHORITY_PEM);
  const token = await stamped(app);
  await assert.rejects(anchor(app, token, { tenantIds: ['globex'] }), { code: 'PERM_TENANT_MISMATCH' });
  await assert.rejects(anchor(app, token, { tenantIds: ['acme', 'globex'] }), { code: 'PERM_TENANT_MISMATCH' });
  // It is refused for that, whatever else the request lacks.
  await assert.rejects(anchor(app, undefined, { tenantIds: ['globex'] }), { code: 'PERM_TENANT_MISMATCH' });
  await assert.rejects(anchor(app, undefined, {}), { code: 'VAL_REQUIRED_FIELD' });
  await using other = await appWith(AUTHORITY_PEM, { tenant: 'globex' });
  await assert.rejects(anchor(other, await stamped(other)), { code: 'PERM_TENANT_MISMATCH' });
  assert.equal((await anchor(app, token, { tenantIds: ['acme'] })).state, 'fresh');
});

test('the anchor ages by the monotonic clock, and a restart and a clock set back make nothing fresh', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await using app = await appWith(keyPem(privateKey));
  const { nonce } = await challengeOf(app);
  const token = stated(privateKey, { tenantId: 'acme', nonce, anchorTime: '2026-01-15T12:00:00Z' });
  await anchor(app, token, { source: 'operator_dsse' });
  const state = async () => (await app.module.time.status(viewer, {})).state;

  // The wall clock stays three hours behind the anchor throughout.
  app.monotonic.ms += 3_599_999;
  assert.equal(await state(), 'fresh');
  app.monotonic.ms += 1;
  assert.equal(await state(), 'warning');
  app.monotonic.ms += 3_600_000;
  assert.equal(await state(), 'breach');
  await app.module.storeClocks();
  app.monotonic.bootId = 'boot 2';
  app.monotonic.ms = 0;
  assert.equal(await state(), 'breach');
});

test('content is as old as its own date says, by the budget of its kind (spec: 4.6/time-status)', async () => {
  const dates = { advisories: new Date('2026-01-15T08:00:00Z'), vex: null, policy: new Date('2026-01-15T08:59:59Z') };
  const budgets = { ...TIME_OPTIONS.budgets, advisories: { warningSeconds: 3_600, breachSeconds: 86_400 } };
  await using app = await airgapApp(() => ({ time: { ...TIME_OPTIONS, budgets }, contentDates: async () => dates }));

  const { content } = await app.module.time.status(viewer, {});

  assert.deepEqual(
    content.map(({ content: kind, state, ageSeconds }) => [kind, state, ageSeconds]),
    [
      ['advisories', 'warning', 3_600],
      ['vex', 'unknown', null],
      ['policy', 'fresh', 1],
    ],
  );
});

test('now never comes before any time that is known, and a boundary belongs to the worse state', () => {
  const ms = fc.integer({ min: 0, max: 4e12 });
  fc.assert(
    fc.property(ms, ms, ms, ms, fc.boolean(), (wall, highest, at, elapsed, isSameBoot) => {
      const now = trustedNow(
        { wall: new Date(wall), highest: new Date(highest), monotonic: { bootId: 'a', ms: elapsed } },
        { anchorTime: new Date(at), acceptedMonotonic: 0, bootId: isSameBoot ? 'a' : 'b' },
      ).getTime();
      assert.equal(now, Math.max(wall, highest, at + (isSameBoot ? elapsed : 0)));
    }),
  );
  const hours = { warningSeconds: 10, breachSeconds: 20 };
  assert.deepEqual(
    [9.999, 10, 19.999, 20].map((age) => freshnessOf(age, hours)),
    ['fresh', 'warning', 'warning', 'breach'],
  );
});
