import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { buildIndex, type Image } from '@landfall/kernel/testing/oci-image';
import type { RegistryFault } from '@landfall/kernel/testing/oci-registry';
import { failed, landed, onlyLinux, setUp } from './apply.fixture.ts';

const limits = { answerMs: 300, graceMs: 600, bytesPerSecond: 1_000_000, tries: 2, backoffMs: 1 };
const [one, two] = [buildApp({ version: 'one' }), buildApp({ version: 'two' })];

const bothPlatforms = (image: Image): Image =>
  buildIndex([image, buildApp({ version: 'other', platform: 'other/arch' })]);

const bad: readonly (readonly [
  what: string,
  fault: RegistryFault,
  code: string,
  errorClass: string,
  during: string,
])[] = [
  [
    'hangs at a manifest',
    { kind: 'hang', match: '/manifests/' },
    'DEPLOY_PULL_FAILED',
    'registry-unreachable',
    'resolved',
  ],
  ['hangs at a blob', { kind: 'hang', match: '/blobs/' }, 'DEPLOY_PULL_FAILED', 'registry-unreachable', 'pulled'],
  [
    'trickles a blob',
    { kind: 'trickle', match: '/blobs/', everyMs: 50 },
    'DEPLOY_PULL_FAILED',
    'registry-unreachable',
    'pulled',
  ],
  [
    'serves a corrupt manifest',
    { kind: 'corrupt', match: '/manifests/' },
    'DEPLOY_DIGEST_VERIFICATION_FAILED',
    'digest-mismatch',
    'resolved',
  ],
  [
    'serves a corrupt blob',
    { kind: 'corrupt', match: '/blobs/' },
    'DEPLOY_DIGEST_VERIFICATION_FAILED',
    'digest-mismatch',
    'pulled',
  ],
  [
    'is broken',
    { kind: 'status', match: '/v2/', status: 500 },
    'DEPLOY_PULL_FAILED',
    'registry-unreachable',
    'resolved',
  ],
  [
    'refuses us',
    { kind: 'status', match: '/v2/', status: 403 },
    'DEPLOY_PULL_FAILED',
    'registry-unauthorized',
    'resolved',
  ],
  [
    'lost a blob',
    { kind: 'status', match: '/blobs/', status: 404 },
    'DEPLOY_ARTIFACT_MISSING',
    'artifact-missing',
    'pulled',
  ],
];

for (const [name, fault, code, errorClass, during] of bad)
  test(`a registry that ${name} ends the task as ${errorClass}, and the old release serves on`, onlyLinux, async () => {
    await using host = await setUp({ limits });
    await host.apply(host.task(bothPlatforms(one)));
    const before = await host.get('/pid');
    const task = host.task(bothPlatforms(two));
    {
      using _ = host.registry.fault(fault);
      const { end } = await host.apply(task);
      assert.deepEqual(
        [failed(end).code, failed(end).errorClass, failed(end).during],
        [code, errorClass, during],
        failed(end).raw,
      );
    }
    assert.equal(await host.get('/pid'), before);
    assert.deepEqual(await readdir(join(host.directory, 'partial')), [], 'nothing is left of the pull');
    landed((await host.apply(task)).end);
    assert.equal(await host.get(), 'two');
  });

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
