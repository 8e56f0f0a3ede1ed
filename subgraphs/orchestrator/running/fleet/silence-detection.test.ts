import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployingApp } from '../../testing/deploying-app.ts';

test('a server that has just started judges no silence before it could have heard everybody', async (t) => {
  await using app = await deployingApp();
  await app.register();
  await app.clock.advance(600_000);
  t.mock.timers.enable({ apis: ['setInterval'] });

  /** Returns the state of an agent after one run of a detection that was started `upSeconds` ago. */
  const stateAfter = async (upSeconds: number) => {
    const clients = app.module.workers.find(({ name }) => name === 'orchestrator.watch')?.start();
    await app.clock.advance(upSeconds * 1_000);
    t.mock.timers.tick(2_000);
    await clients?.[Symbol.asyncDispose]();
    return (await app.module.agents.list(app.caller('viewer'), {})).map(({ state }) => state);
  };

  assert.deepEqual(await stateAfter(29), ['active'], 'the beats that are missing are those that nobody could take');
  assert.deepEqual(await stateAfter(30), ['offline']);
});
