import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { sha256 } from '../crypto/digest.ts';
import { createHttpClient, type HttpResponse } from '../http/client.ts';
import { openEgress } from '../system/egress.ts';
import { type DockerRegistry, dockerPrograms, startDockerRegistry } from '../testing/oci-docker.ts';
import { buildImage } from '../testing/oci-image.ts';
import { type Registry, type RegistryFault, startRegistry } from '../testing/oci-registry.ts';
import { needs } from '../testing/programs.ts';
import type { Credentials } from './challenge.ts';
import { createRegistryClient } from './registry-client.ts';
import { createTagCollector, readTagPage, type TagList, tagBounds } from './tag-list.ts';

const http = createHttpClient({ egress: openEgress });
after(() => http.close());
const client = createRegistryClient(http, { total: 5_000 });
const image = buildImage({ layers: [[{ path: 'app', content: 'hello' }]] });

const accessTo = ({ host, origin }: Pick<Registry, 'host' | 'origin'>, credentials?: Credentials) => ({
  host,
  origin,
  credentials,
  tenant: toTenantId('acme'),
  correlationId: '01900000-0000-7000-8000-000000000000',
});

const listed = (answer: TagList | Fault | undefined): TagList => {
  if (answer instanceof Fault) throw answer;
  return answer ?? assert.fail('the list has not changed');
};

const pushMany = (registry: Registry, count: number): void => {
  for (let index = 0; index < count; index++) registry.push('web', image, `v${index}`);
};

test('a list of several pages is read to its end, within its bounds', async () => {
  await using registry = await startRegistry({ hasEtags: true });
  pushMany(registry, 2_500);
  const all = listed(await client.tags(accessTo(registry), 'web'));
  assert.deepEqual([all.tags.length, all.isCut, all.etag], [2_500, false, undefined]);
  assert.equal(registry.requests.length, 3);
  pushMany(registry, tagBounds.tags + 1);
  const cut = listed(await client.tags(accessTo(registry), 'web'));
  assert.deepEqual([cut.tags.length, cut.isCut], [tagBounds.tags, true]);
});

test('a list of malformed tags is cut at a bound of its bytes, and none of them is kept', () => {
  const list = createTagCollector();
  const page = Buffer.from(JSON.stringify({ tags: Array.from({ length: 1_000 }, () => ' '.repeat(1_000)) }));
  const answer: HttpResponse = {
    kind: 'response',
    status: 200,
    headers: { link: '</v2/web/tags/list?n=1000&last=a>; rel="next"' },
    body: page,
    url: 'https://registry.example/v2/web/tags/list',
  };
  let pages = 0;
  for (let next: string | undefined = 'first'; next !== undefined; pages++)
    next = list.add(readTagPage('https://registry.example', 'web', answer) ?? assert.fail('no page'));
  assert.equal(pages, 5);
  const { tags, isCut, digest } = list.list();
  assert.deepEqual([tags, isCut], [[], true]);
  assert.equal(digest, sha256(...Array.from({ length: pages }, () => page)));
});

test('a list that has not changed is not sent again', async () => {
  await using registry = await startRegistry({ hasEtags: true });
  registry.push('web', image, '1');
  const first = listed(await client.tags(accessTo(registry), 'web'));
  assert.ok(first.etag);
  assert.equal(await client.tags(accessTo(registry), 'web', first.etag), undefined);
  registry.push('web', image, '2');
  const second = listed(await client.tags(accessTo(registry), 'web', first.etag));
  assert.deepEqual(second.tags, ['1', '2']);
  assert.notEqual(second.digest, first.digest);
});

test('a registry without ETags gives a list of equal bytes an equal digest', async () => {
  await using registry = await startRegistry();
  registry.push('web', image, '1');
  const [first, second] = [
    listed(await client.tags(accessTo(registry), 'web')),
    listed(await client.tags(accessTo(registry), 'web', '"another"')),
  ];
  assert.deepEqual([first.etag, first.digest], [undefined, second.digest]);
});

test('lists and digests are asked for with the token that the credentials buy', async () => {
  const credentials = { username: 'robot', password: 'correct horse' };
  await using registry = await startRegistry({ credentials, hasEtags: true });
  registry.push('web', image, '1');
  const access = accessTo(registry, credentials);
  const { etag } = listed(await client.tags(access, 'web'));
  assert.equal(await client.tags(access, 'web', etag), undefined);
  assert.equal(await client.digest(access, 'web', '1'), image.digest);
  assert.equal(registry.requests.at(-1)?.method, 'HEAD');
});

const faults: readonly (readonly [string, string, RegistryFault])[] = [
  ['trickles', 'INT_TIMEOUT', { kind: 'trickle', match: '/tags/', everyMs: 100 }],
  ['hangs', 'INT_TIMEOUT', { kind: 'hang', match: '/tags/' }],
  [
    'sends a list without end',
    'INT_INVALID_RESPONSE',
    { kind: 'bloat', match: '/tags/', bytes: 5 << 20, isDeclared: false },
  ],
  ['sends no list', 'INT_INVALID_RESPONSE', { kind: 'corrupt', match: '/tags/' }],
  ['limits our rate', 'INT_RATE_LIMITED', { kind: 'status', match: '/tags/', status: 429 }],
  ['is down', 'INT_CONNECTION_FAILED', { kind: 'status', match: '/tags/', status: 502 }],
];

for (const [name, code, fault] of faults)
  test(`a registry that ${name} is ${code}`, async () => {
    await using registry = await startRegistry();
    pushMany(registry, 20);
    using _fault = registry.fault(fault);
    const answer = await createRegistryClient(http, { total: 500 }).tags(accessTo(registry), 'web');
    assert.equal(answer instanceof Fault && answer.code, code);
  });

test('a digest of a tag that is gone is REL_TAG_NOT_FOUND, and of none that is told nothing', async () => {
  await using registry = await startRegistry();
  registry.push('web', image, '1');
  const removed = await client.digest(accessTo(registry), 'web', '2');
  assert.equal(removed instanceof Fault && removed.code, 'REL_TAG_NOT_FOUND');
  using _fault = registry.fault({ kind: 'status', match: '/manifests/', status: 405 });
  assert.equal(await client.digest(accessTo(registry), 'web', '1'), undefined);
});

describe('a registry of the kind that people run', await needs(...dockerPrograms), () => {
  let registry: DockerRegistry;
  before(async () => {
    registry = await startDockerRegistry();
  });
  after(() => registry[Symbol.asyncDispose]());

  test('lists its tags and says their digests', async () => {
    const digest = await registry.push('web', image, '1.0.0', 'stable');
    const { tags, isCut } = listed(await client.tags(accessTo(registry), 'web'));
    assert.deepEqual([tags.toSorted(), isCut], [['1.0.0', 'stable'], false]);
    assert.equal(await client.digest(accessTo(registry), 'web', 'stable'), digest);
  });
});
