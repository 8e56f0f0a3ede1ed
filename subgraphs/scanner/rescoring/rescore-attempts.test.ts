import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { rescoreApp } from '../testing/rescore-app.ts';

/** The scanner with processes that die while they rescore. */
const deadlyApp = async () => {
  const app = await rescoreApp();
  const { connection, rootKey, module } = app;
  return {
    ...app,
    rescore: module.rescoreScans,
    die: () =>
      runToFailpoint({
        program: new URL('../testing/scan-queue.fixture.ts', import.meta.url),
        failpoint: 'scanner.rescoring.frozen',
        arguments: [JSON.stringify({ connection, rootKey: rootKey.toString('hex'), work: 'rescoreScans' })],
      }),
    stateOf: async (scanId: string) => {
      const { freezeNumber, rescoreError } = await app.get(scanId);
      return { freezeNumber, rescoreError };
    },
  };
};

test('a scan whose rescoring ends the process is given up after three attempts, and the next change starts anew', async () => {
  await using app = await deadlyApp();
  const scanId = await app.scan();
  await app.epss('0.5');
  for (let attempt = 0; attempt < 3; attempt++) await app.die();
  assert.deepEqual(await app.stateOf(scanId), { freezeNumber: 1, rescoreError: null });
  assert.equal(await app.rescore(), 0);
  const { freezeNumber, rescoreError } = await app.stateOf(scanId);
  assert.equal(freezeNumber, 1);
  assert.match(rescoreError ?? '', /^None of 3 attempts to score it again came to an end/);
  assert.equal(await app.rescore(), 0);
  await app.epss('0.6');
  assert.equal(await app.rescore(), 1);
  assert.deepEqual(await app.stateOf(scanId), { freezeNumber: 2, rescoreError: null });
});

test('scans that were under way when the process died are tried one at a time', async () => {
  await using app = await deadlyApp();
  const scans = [await app.scan('wall'), await app.scan('fence'), await app.scan('moat')];
  await app.epss('0.5');
  await app.die();
  let underWay = 0;
  let most = 0;
  using _frozen = arm('scanner.rescoring.frozen', () => {
    underWay += 1;
    most = Math.max(most, underWay);
  });
  using _saving = arm('scanner.rescoring.saving', () => {
    underWay -= 1;
  });
  assert.equal(await app.rescore(), 3);
  assert.equal(most, 1);
  for (const scanId of scans) assert.deepEqual(await app.stateOf(scanId), { freezeNumber: 2, rescoreError: null });
});
