import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAttestedApp } from './landing.fixture.ts';
import { rekorOf, TOKEN, verifierKeyOf } from './rekor.fixture.ts';

const world = await startAttestedApp();
after(() => world[Symbol.asyncDispose]());

const twisted = (answer: Record<string, unknown>, over: object) => ({
  ...answer,
  inclusionProof: { ...Object(answer.inclusionProof), ...over },
});

/** Creates a landing whose statement is in the built-in log and waits for submission to the external log. */
const attested = async (settings: { rekorUrl: string; rekorToken: string; rekorKey: string }) => {
  await world.attestAll();
  const { deployment } = await world.landed(await world.stage());
  const module = world.another(settings);
  while ((await module.runOnce.attestor()) > 0);
  const statement = await world.statement('deployment', deployment.id);
  assert(statement?.attestedAt, 'nothing waits for the other log');
  return { module, id: statement.id, deployment };
};

test('a log that is away, refuses or lies is not believed, and is asked again later', async () => {
  const rekorKey = await verifierKeyOf(world.module);
  const lies: readonly (readonly [why: RegExp, twist: (answer: Record<string, unknown>) => unknown])[] = [
    [/not what was sent/, (answer) => ({ ...answer, canonicalizedBody: Buffer.from('{}').toString('base64') })],
    [/another tree|lead from the entry/, (answer) => twisted(answer, { treeSize: '1' })],
    [
      /not signed/,
      (answer) => twisted(answer, { checkpoint: { envelope: 'landfall.example/log\n1\nAA==\n\n— x AAAA\n' } }),
    ],
    [/cannot be read/, (answer) => ({ ...answer, logIndex: '77' })],
    [/not a log entry/, () => ({})],
  ];
  for (const [why, twist] of lies) {
    await using rekor = await rekorOf(world.module, world.operator, twist);
    const { module, id } = await attested({ rekorUrl: rekor.url, rekorToken: TOKEN, rekorKey });
    await module.runOnce.external();
    const failed = await world.external(id);
    assert.equal(failed?.logIndex, null);
    assert.match(failed?.lastError ?? '', why);
    assert.equal(await module.runOnce.external(), 0, 'not before its time');
  }
  await using rekor = await rekorOf(world.module, world.operator);
  const { module, id } = await attested({ rekorUrl: rekor.url, rekorToken: 'another', rekorKey });
  await module.runOnce.external();
  assert.equal((await world.external(id))?.lastError, 'the external log did not take it: it answered 401');
  await world.clock.advance(60_000);
  const { runOnce } = world.another({ rekorUrl: rekor.url, rekorToken: TOKEN, rekorKey });
  while ((await runOnce.external()) > 0);
  assert.equal((await world.external(id))?.lastError, null);
});

test('an entry is kept with the address of the log that it is in, wherever it was to go before', async () => {
  const rekorKey = await verifierKeyOf(world.module);
  const { id } = await attested({ rekorUrl: 'https://former.example', rekorToken: TOKEN, rekorKey });
  await using rekor = await rekorOf(world.module, world.operator);
  const { runOnce } = world.another({ rekorUrl: rekor.url, rekorToken: TOKEN, rekorKey });
  while ((await runOnce.external()) > 0);
  const kept = await world.external(id);
  assert.deepEqual([kept?.url, typeof kept?.logIndex], [rekor.url, 'number']);
});

test('a log that cannot be reached is not told of by its address', async () => {
  const rekorKey = await verifierKeyOf(world.module);
  const { module, id } = await attested({ rekorUrl: 'http://127.0.0.1:9/secret', rekorToken: TOKEN, rekorKey });
  await module.runOnce.external();
  assert.equal((await world.external(id))?.lastError, 'the external log did not take it');
});

test('an address without the key of its log stops the start', () => {
  assert.throws(() => world.another({ rekorUrl: 'https://rekor.example' }), /RekorKey/);
});
