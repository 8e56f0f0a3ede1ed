import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAttestedApp } from './landing.fixture.ts';
import { rekorOf, TOKEN, verifierKeyOf } from './rekor.fixture.ts';

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const twisted = (answer: Record<string, unknown>, overrides: object) => ({
  ...answer,
  inclusionProof: { ...Object(answer.inclusionProof), ...overrides },
});

/** Creates a landing whose statement is in the built-in log and waits for submission to the external log. */
const attested = async (settings: { rekorUrl: string; rekorToken: string; rekorKey: string }) => {
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  const module = app.another(settings);
  while ((await module.runOnce.attestor()) > 0);
  const statement = await app.statement('deployment', deployment.id);
  assert(statement?.attestedAt, 'nothing waits for the other log');
  return { module, id: statement.id, deployment };
};

test('a log that is away, refuses or lies is not believed, and is asked again later', async () => {
  const rekorKey = await verifierKeyOf(app.module);
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
  for (const [reason, twist] of lies) {
    await using rekor = await rekorOf(app.module, app.operator, twist);
    const { module, id } = await attested({ rekorUrl: rekor.url, rekorToken: TOKEN, rekorKey });
    await module.runOnce.external();
    const failed = await app.external(id);
    assert.equal(failed?.logIndex, null);
    assert.match(failed?.lastError ?? '', reason);
    assert.equal(await module.runOnce.external(), 0, 'not before its time');
  }
  await using rekor = await rekorOf(app.module, app.operator);
  const { module, id } = await attested({ rekorUrl: rekor.url, rekorToken: 'another', rekorKey });
  await module.runOnce.external();
  assert.equal((await app.external(id))?.lastError, 'the external log did not take it: it answered 401');
  await app.clock.advance(60_000);
  const { runOnce } = app.another({ rekorUrl: rekor.url, rekorToken: TOKEN, rekorKey });
  while ((await runOnce.external()) > 0);
  assert.equal((await app.external(id))?.lastError, null);
});

test('an entry is kept with the address of the log that it is in, wherever it was to go before', async () => {
  const rekorKey = await verifierKeyOf(app.module);
  const { id } = await attested({ rekorUrl: 'https://former.example', rekorToken: TOKEN, rekorKey });
  await using rekor = await rekorOf(app.module, app.operator);
  const { runOnce } = app.another({ rekorUrl: rekor.url, rekorToken: TOKEN, rekorKey });
  while ((await runOnce.external()) > 0);
  const recorded = await app.external(id);
  assert.deepEqual([recorded?.url, typeof recorded?.logIndex], [rekor.url, 'number']);
});

test('a log that cannot be reached is not told of by its address', async () => {
  const rekorKey = await verifierKeyOf(app.module);
  const { module, id } = await attested({ rekorUrl: 'http://127.0.0.1:9/secret', rekorToken: TOKEN, rekorKey });
  await module.runOnce.external();
  assert.equal((await app.external(id))?.lastError, 'the external log did not take it');
});

test('an address without the key of its log stops the start', () => {
  assert.throws(() => app.another({ rekorUrl: 'https://rekor.example' }), /RekorKey/);
});
