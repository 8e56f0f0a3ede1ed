import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integer, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { type EstateApp, estateApp, unknown } from './estate.fixture.ts';

const DAY_MS = 86_400_000;

/** Creates a drift and the input that accepts it until tomorrow. */
const drifting = async (app: EstateApp) => {
  const { agents, places: positions, digest } = await app.landed();
  const [agent] = agents;
  const [component] = positions;
  assert.ok(agent && component);
  await app.sees(agent, component.target.id);
  const [row] = await app.drift();
  assert.ok(row);
  const input = (overrides: object = {}) => ({
    observationId: row.id,
    seenDigest: unknown,
    reason: 'A fix by hand, until 1.4.1 is out.',
    expiresAt: new Date(app.deps.clock.now().getTime() + DAY_MS).toISOString(),
    ...overrides,
  });
  const accept = (overrides: object = {}) => app.module.estate.accept(app.caller('operator'), input(overrides));
  const revoke = (id: string) => app.module.estate.revoke(app.caller('operator'), { id });
  return { agent, target: component.target, digest, row, input, accept, revoke };
};

test('an accepted drift stays a drift, with its owner, reason and last day', async () => {
  await using app = await estateApp();
  const { accept } = await drifting(app);
  const { id, owner, reason, expiresAt } = await accept();
  const [row] = await app.drift();
  assert.deepEqual([row?.state, row?.deviation?.id, row?.deviation?.reason], ['drift', id, reason]);
  assert.equal(owner, app.caller('operator').subject);
  assert.deepEqual(expiresAt, new Date(app.deps.clock.now().getTime() + DAY_MS));
  const { drift, inSync, deviations } = await app.status();
  assert.deepEqual([drift, inSync, deviations], [1, 0, 1]);
});

test('a deviation ends on its day by itself', async () => {
  await using app = await estateApp();
  const { accept, agent, target } = await drifting(app);
  await accept();
  await app.clock.advance(DAY_MS);
  await app.sees(agent, target.id);
  assert.equal((await app.drift())[0]?.deviation, null);
  assert.equal((await app.status()).deviations, 0);
  await accept();
  assert.equal((await app.status()).deviations, 1);
});

test('a deviation that is revoked stands no longer, and is revoked once', async () => {
  await using app = await estateApp();
  const { accept, revoke } = await drifting(app);
  const { id } = await accept();
  const revoked = await revoke(id);
  assert.deepEqual([revoked.revokedAt, revoked.version], [app.deps.clock.now(), 2]);
  assert.equal((await app.drift())[0]?.deviation, null);
  await assert.rejects(revoke(id), refusal('RES_CONFLICT', { state: 'revoked', allowed: [] }));
  await assert.rejects(revoke(app.deps.ids.uuid()), refusal('RES_NOT_FOUND'));
});

test('it is about a digest: another one there is a drift that nobody owns', async () => {
  await using app = await estateApp();
  const { accept, agent, target } = await drifting(app);
  await accept();
  const other = `sha256:${'e'.repeat(64)}`;
  await app.sees(agent, target.id, { digest: other });
  assert.equal((await app.drift())[0]?.deviation, null);
  await app.sees(agent, target.id);
  assert.notEqual((await app.drift())[0]?.deviation, null);
});

test('only what the caller saw is accepted', async () => {
  await using app = await estateApp();
  const { accept, agent, target } = await drifting(app);
  const seenDigest = `sha256:${'e'.repeat(64)}`;
  await assert.rejects(
    accept({ seenDigest }),
    refusal('RES_VERSION_CONFLICT', { expected: seenDigest, actual: unknown }),
  );
  await app.sees(agent, target.id, { running: false });
  await assert.rejects(accept(), refusal('RES_VERSION_CONFLICT', { expected: unknown, actual: null }));
  await assert.rejects(accept({ observationId: app.deps.ids.uuid() }), refusal('RES_NOT_FOUND'));
});

test('only a drift is accepted, and by one owner', async () => {
  await using app = await estateApp();
  const { accept, agent, target, digest } = await drifting(app);
  const { id } = await accept();
  await assert.rejects(accept(), refusal('RES_CONFLICT', { state: 'drift', deviation: id, allowed: [] }));
  await app.sees(agent, target.id, { digest });
  await assert.rejects(
    accept({ seenDigest: digest }),
    refusal('RES_CONFLICT', { state: 'in_sync', allowed: ['drift'] }),
  );
  await app.clock.advance(31_000);
  await assert.rejects(accept({ seenDigest: digest }), refusal('RES_CONFLICT', { state: 'unobserved' }));
});

test('of several who accept at once one owns the drift', async () => {
  await using app = await estateApp();
  const { accept } = await drifting(app);
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => accept()));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await app.status()).deviations, 1);
});

test('a deviation needs a reason and a day within a year', async () => {
  await using app = await estateApp();
  const { accept } = await drifting(app);
  const at = (ms: number) => new Date(app.deps.clock.now().getTime() + ms).toISOString();
  await assert.rejects(accept({ reason: 'too short' }), refusal('VAL_TOO_SHORT'));
  await assert.rejects(accept({ reason: 'x'.repeat(2_001) }), refusal('VAL_TOO_LONG'));
  await assert.rejects(accept({ seenDigest: 'sha256:AB' }), refusal('VAL_INVALID_DIGEST'));
  await assert.rejects(accept({ expiresAt: 'tomorrow' }), refusal('VAL_INVALID_FORMAT'));
  for (const ms of [-1, 0, 365 * DAY_MS + 1])
    await assert.rejects(accept({ expiresAt: at(ms) }), refusal('VAL_INVALID_VALUE'));
  await accept({ expiresAt: at(365 * DAY_MS) });
});

const events = table('kernel.events.told', { type: text, version: integer });

test('accepting and revoking are told under the deviation’s own name', async () => {
  await using app = await estateApp();
  const { accept, revoke } = await drifting(app);
  const { id } = await accept();
  await revoke(id);
  assert.deepEqual(
    await app.rows(
      events,
      sql`select type, version from kernel.events e where entity = 'Deviation' and entity_id = ${id} order by e.xid, id`,
    ),
    [
      { type: 'estate.acceptDeviation', version: 1 },
      { type: 'estate.revokeDeviation', version: 2 },
    ],
  );
});

const ACCEPT = `mutation ($input: AcceptDeviationInput!) { acceptDeviation(input: $input) {
  id component digest reason expiresAt revokedAt owner { id } target { id } viewerCanRevoke { allowed code } } }`;
const DRIFT = `{ estate {
  drift { edges { node { id viewerCanAccept { allowed code } deviation { id } } } }
  deviations { edges { node { id } } } } }`;

test('the graph says who may accept and revoke before they do', async () => {
  await using app = await estateApp();
  const { input, row, target } = await drifting(app);
  const accepted = async (as: 'viewer' | 'operator') => {
    const { data } = await app.graph(DRIFT, {}, { as });
    return JSON.parse(JSON.stringify(data)).estate.drift.edges[0].node.viewerCanAccept;
  };
  assert.deepEqual(await accepted('operator'), { allowed: true, code: null });
  assert.deepEqual(await accepted('viewer'), { allowed: false, code: 'PERM_SCOPE_DENIED' });
  const { data, errors } = await app.graph(ACCEPT, { input: input() });
  assert.equal(errors, undefined);
  const deviation = JSON.parse(JSON.stringify(data)).acceptDeviation;
  assert.deepEqual(
    [deviation.digest, deviation.target.id, deviation.viewerCanRevoke.allowed],
    [unknown, target.id, true],
  );
  assert.deepEqual(await accepted('operator'), { allowed: false, code: 'RES_CONFLICT' });
  const { data: after } = await app.graph(DRIFT, {}, { as: 'viewer' });
  const { estate } = JSON.parse(JSON.stringify(after));
  assert.deepEqual(estate.deviations.edges, [{ node: { id: deviation.id } }]);
  assert.deepEqual(
    [estate.drift.edges[0].node.id, estate.drift.edges[0].node.deviation],
    [row.id, { id: deviation.id }],
  );
});
