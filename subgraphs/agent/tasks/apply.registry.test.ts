import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { failed, landed, onlyLinux, setUp } from './apply.fixture.ts';
import { limits, one, testRegistryFaults, two } from './registry-faults.fixture.ts';

// The other faults are in the full run.
testRegistryFaults([
  ['hangs at a blob', { kind: 'hang', match: '/blobs/' }, 'DEPLOY_PULL_FAILED', 'registry-unreachable', 'pulled'],
  [
    'serves a corrupt blob',
    { kind: 'corrupt', match: '/blobs/' },
    'DEPLOY_DIGEST_VERIFICATION_FAILED',
    'digest-mismatch',
    'pulled',
  ],
]);

test(
  'a registry that sends us in circles is given up, and one that sends us to another is followed',
  onlyLinux,
  async () => {
    await using host = await setUp({ limits });
    await using other = await setUp({ limits });
    await host.apply(host.task(one));
    const task = host.task(two);
    {
      using _ = host.registry.fault({ kind: 'redirect', match: '/blobs/', to: host.registry.origin });
      const { end } = await host.apply(task);
      assert.deepEqual([failed(end).errorClass, failed(end).during], ['unclassified', 'pulled']);
      assert.match(failed(end).raw, /redirects more than 5 times/);
    }
    other.task(two);
    using _ = host.registry.fault({ kind: 'redirect', match: '/blobs/', to: other.registry.origin });
    landed((await host.apply(task)).end);
    assert.equal(await host.get(), 'two');
  },
);

test('a registry that sends us to where it answers something else brings nothing of it in', onlyLinux, async () => {
  await using host = await setUp({ limits });
  await using other = await setUp({ limits });
  await host.apply(host.task(one));
  const task = host.task(two);
  other.task(two);
  using _redirect = host.registry.fault({ kind: 'redirect', match: '/blobs/', to: other.registry.origin });
  using _corrupt = other.registry.fault({ kind: 'corrupt', match: '/blobs/' });
  assert.equal(failed((await host.apply(task)).end).errorClass, 'digest-mismatch');
  assert.equal(await host.get(), 'one');
});

test('a registry that takes connections and says nothing is unreachable', onlyLinux, async () => {
  await using host = await setUp({ limits });
  const silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { end } = await host.apply(host.task(one, {}, { repository: `127.0.0.1:${port}/team/web` }));
  assert.equal(failed(end).errorClass, 'registry-unreachable');
  silent.close();
});
