import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionTarget } from './action-path.ts';

const BASE = '/api/v1/release-orchestrator';
const DIGEST = `sha256:${'a'.repeat(64)}`;

test('an action path leads to the page that shows what it answers', () => {
  assert.deepEqual(actionTarget(`${BASE}/releases/r1/deploy-preflight?environmentId=e1`), {
    to: 'deploy',
    releaseId: 'r1',
    environmentId: 'e1',
  });
  assert.deepEqual(actionTarget(`${BASE}/releases/r1/deploy-plan`), {
    to: 'deploy',
    releaseId: 'r1',
    environmentId: undefined,
  });
  assert.deepEqual(actionTarget(`${BASE}/releases/r1`), { to: 'release', id: 'r1' });
  assert.deepEqual(actionTarget(`${BASE}/releases`), { to: 'releases' });
  assert.deepEqual(actionTarget(`${BASE}/deployments/d1`), { to: 'deployment', id: 'd1' });
  assert.deepEqual(actionTarget(`${BASE}/estate/status`), { to: 'estate' });
  assert.deepEqual(actionTarget(`${BASE}/estate/digest/${DIGEST}`), { to: 'digest', digest: DIGEST });
  assert.deepEqual(actionTarget(`${BASE}/estate/digest/${encodeURIComponent(DIGEST)}`), {
    to: 'digest',
    digest: DIGEST,
  });
});

test('a path that no page shows leads nowhere', () => {
  const unknown = ['deployments', 'releases/r1/unheard-of', 'secrets/s1', 'estate', 'estate/status/more', 'a/b/c/d'];
  for (const path of [null, '/elsewhere', ...unknown.map((one) => `${BASE}/${one}`)]) {
    assert.equal(actionTarget(path), undefined, String(path));
  }
});
