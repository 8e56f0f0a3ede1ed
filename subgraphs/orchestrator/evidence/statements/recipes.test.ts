import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { startAttestedApp } from './landing.fixture.ts';

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const QUERY = `query ($id: ID!) { custody(releaseId: $id) { steps { statements { attestation { recipe } } } } }`;

test('the recipes of many statements cost one question for their bundles and one for the keys', async () => {
  const { release } = await app.landed(await app.stage());
  await app.attestAll();
  app.statements.length = 0;
  const { data, errors } = await app.graph(QUERY, { id: release.id });
  assert.equal(errors, undefined);
  const recipes = [...JSON.stringify(data).matchAll(/openssl dgst -sha256 -verify/g)];
  assert.ok(recipes.length > 1);
  for (const name of ['orchestrator.attestations.whole.listByIds', 'tlog.logs.listSizesAt'])
    assert.equal(app.statements.filter((each) => each === name).length, 1, name);
});

test('a stored bundle that was broken has no recipe, and takes nobody else’s away', async () => {
  const { release } = await app.landed(await app.stage());
  await app.attestAll();
  const client = new pg.Client(app.connection);
  await client.connect();
  await client
    .query(`update orchestrator.attestations set bundle = '{}' where kind = 'deployment' and release_id = $1`, [
      release.id,
    ])
    .finally(() => client.end());
  const { data, errors } = await app.graph(QUERY, { id: release.id });
  assert.equal(errors, undefined);
  const answer = JSON.stringify(data);
  assert.equal(answer.split('REFUSED: the stored bundle cannot be read').length, 2);
  assert.match(answer, /openssl dgst -sha256 -verify/);
});
