import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { artifactApp, billOf, operator, viewer } from '../testing/artifact-app.ts';

const program = new URL('./crash.fixture.ts', import.meta.url);

const FAILPOINTS = [
  'artifacts.put.writing',
  'artifacts.put.staged',
  'artifacts.put.placing',
  'artifacts.put.placed',
  'artifacts.put.unindexed',
];

test('a put that is killed at any point leaves no row, and the next put makes the artifact whole', async () => {
  await using app = await artifactApp();
  for (const [index, failpoint] of FAILPOINTS.entries()) {
    const content = Buffer.from(JSON.stringify({ ...billOf(), version: index })).toString('base64');
    const given = {
      connection: app.connection,
      objects: app.objectsDirectory,
      incoming: join(app.dataDir, 'artifacts', 'incoming'),
      content,
    };
    const { output } = await runToFailpoint({ program, failpoint, arguments: [JSON.stringify(given)] });
    assert.equal(output, '', 'nobody was answered');
    const { items } = await app.module.artifacts.search(viewer, {});
    assert.equal(items.length, index, failpoint);
    const { artifact, isNew } = await app.module.artifacts.put(operator, { content });
    assert.ok(isNew);
    const { stream } = await app.module.readArtifact(operator.tenant, artifact.artifactId);
    assert.equal((await buffer(stream)).toString('base64'), content);
  }
});
