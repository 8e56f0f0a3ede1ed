import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dockerPrograms } from '@landfall/kernel/testing/oci-docker';
import { needs } from '@landfall/kernel/testing/programs';
import { dockerScenario } from './docker-registry.fixture.ts';

test(
  'from a pushed image to a verified landing, again with the next, and again without the registry',
  await needs(...dockerPrograms),
  async () => {
    await using scenario = await dockerScenario();
    const first = await scenario.release('1.0.0');
    assert.deepEqual(await scenario.imageCheck(first.ready), [true, 'pass']);
    await scenario.deploy(first);
    const second = await scenario.release('1.1.0');
    await scenario.deploy(second);

    await scenario.registry.stop();
    assert.deepEqual(await scenario.imageCheck(first.ready), [true, 'unknown']);
    await scenario.deploy(first);
    assert.deepEqual(await scenario.agents.starts('one', scenario.target.id), ['1.0.0', '1.1.0', '1.0.0']);

    await scenario.registry.start();
    assert.deepEqual(await scenario.imageCheck(first.ready), [true, 'pass']);
    assert.deepEqual(scenario.bugs, []);
  },
);
