import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { attestedWorld } from './landing.fixture.ts';

const world = await attestedWorld();
after(() => world[Symbol.asyncDispose]());

const QUERY = `query ($id: ID!) { custody(releaseId: $id) { steps { statements { attestation { recipe } } } } }`;

test('the recipes of many statements cost one question for their bundles and one for the keys', async () => {
  const { release } = await world.landed(await world.stage());
  await world.attestAll();
  world.statements.length = 0;
  const { data, errors } = await world.graph(QUERY, { id: release.id });
  assert.equal(errors, undefined);
  const recipes = [...JSON.stringify(data).matchAll(/openssl dgst -sha256 -verify/g)];
  assert.ok(recipes.length > 1);
  for (const name of ['orchestrator.attestations.listWholeByIds', 'tlog.logs.listHistory'])
    assert.equal(world.statements.filter((each) => each === name).length, 1, name);
});
