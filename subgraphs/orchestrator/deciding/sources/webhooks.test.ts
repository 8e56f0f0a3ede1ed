import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { type CatalogueApp, catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';
import type { ReleaseSource } from './sources.store.ts';
import { namesRepository } from './webhook-payload.ts';
import { provesSecret } from './webhook-proof.ts';

let app: CatalogueApp;
let source: ReleaseSource;
let secret = '';
before(async () => {
  app = await catalogueApp();
  await app.seed.environment({ name: 'dev' });
  const product = await app.module.products.create(app.caller('operator'), { name: 'shop' });
  app.registry.push('shop/web', imageOf('one'), '1.0.0');
  source = await app.module.sources.create(app.caller('operator'), {
    productId: product.id,
    component: 'web',
    repository: app.registry.repository('shop/web'),
    selection: { range: '*' },
    intervalSeconds: 86_400,
  });
  const { id, version: expectedVersion } = source;
  const set = await app.module.sources.setWebhook(app.caller('operator'), { id, expectedVersion, isEnabled: true });
  assert.equal(set.path, `/api/v1/webhooks/registries/acme/${id}`);
  secret = set.secret ?? '';
  await app.module.runOnce.sourcePoller();
});
after(() => app[Symbol.asyncDispose]());

/** Bodies of pushes to shop/web, as each registry's documentation shows them. */
const payloads: Readonly<Record<string, object>> = {
  docker: {
    events: [
      {
        id: 'asdf-asdf-asdf-asdf-0',
        timestamp: '2006-01-02T15:04:05Z',
        action: 'push',
        target: {
          mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
          length: 1,
          digest: `sha256:${'f'.repeat(64)}`,
          repository: 'shop/web',
          url: 'https://example.com/v2/shop/web/manifests/sha256:ff',
        },
        request: { id: 'asdf', addr: 'client.local', host: 'registrycluster.local', method: 'PUT' },
      },
    ],
  },
  harbor: {
    type: 'PUSH_ARTIFACT',
    occur_at: 1_586_922_308,
    operator: 'admin',
    event_data: {
      resources: [{ digest: `sha256:${'8'.repeat(64)}`, tag: '1.1.0', resource_url: 'hub.harbor.com/shop/web:1.1.0' }],
      repository: {
        date_created: 1_586_922_308,
        name: 'web',
        namespace: 'shop',
        repo_full_name: 'shop/web',
        repo_type: 'private',
      },
    },
  },
  harborCloudEvent: {
    specversion: '1.0',
    id: '66e18103-f497-48ac-9b44-d1ac7ad5b9a3',
    source: '/projects/1/webhook/policies/3',
    type: 'harbor.artifact.pushed',
    datacontenttype: 'application/json',
    time: '2023-04-03T06:45:20Z',
    data: {
      resources: [{ digest: `sha256:${'8'.repeat(64)}`, tag: '1.1.0', resource_url: 'hub.harbor.com/shop/web:1.1.0' }],
      repository: { name: 'web', namespace: 'shop', repo_full_name: 'shop/web', repo_type: 'private' },
    },
    operator: 'robot$library+scanner',
  },
  harborCloudEventOfResources: {
    specversion: '1.0',
    type: 'harbor.artifact.pushed',
    data: { resources: [{ resource_url: `hub.harbor.com:8443/shop/web@sha256:${'8'.repeat(64)}` }] },
  },
  github: {
    action: 'published',
    package: { id: 1, name: 'web', namespace: 'shop', ecosystem: 'CONTAINER', package_type: 'CONTAINER' },
    sender: { login: 'octocat' },
  },
  githubRegistry: {
    action: 'published',
    registry_package: { id: 1, name: 'web', package_type: 'CONTAINER', owner: { login: 'Shop' } },
  },
  gitlab: { object_kind: 'pipeline', project: { id: 1, path_with_namespace: 'shop' } },
  quay: {
    name: 'web',
    repository: 'shop/web',
    namespace: 'shop',
    docker_url: 'quay.io/shop/web',
    homepage: 'https://quay.io/repository/shop/web',
    updated_tags: ['1.1.0'],
  },
};

const signed = (body: string, key: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
});

type Headers = Readonly<Record<string, string>>;

const receive = (headers: Headers, body: string, overrides: { id?: string; tenant?: string; address?: string } = {}) =>
  app.module.receiveWebhook({
    tenant: overrides.tenant ?? 'acme',
    source: overrides.id ?? source.id,
    headers,
    body,
    address: overrides.address ?? '192.0.2.1',
  });

const nextPoll = async (): Promise<number> => {
  const { nextPollAt } = await app.module.sources.get(app.caller('operator'), { id: source.id });
  return (nextPollAt?.getTime() ?? Infinity) - app.clock.now().getTime();
};

/** Polls, so that the next poll is a day away. */
const settle = async (): Promise<void> => {
  await app.clock.advance(60_000);
  await app.module.sources.poll(app.caller('operator'), { id: source.id });
  await app.module.runOnce.sourcePoller();
  assert.ok((await nextPoll()) > 60_000_000);
};

for (const [name, payload] of Object.entries(payloads))
  test(`a push that ${name} tells of hastens the poll`, async () => {
    await settle();
    const body = JSON.stringify(payload);
    const headers = name.startsWith('github') ? signed(body, secret) : { authorization: `Bearer ${secret}` };
    assert.deepEqual(await receive(headers, body), { isHastened: true, reason: null });
    assert.ok((await nextPoll()) <= 10_000);
  });

test('what a webhook says is not believed: the poll finds what is there', async () => {
  await settle();
  const body = JSON.stringify(payloads.docker);
  await receive({ 'x-gitlab-token': secret }, body);
  await app.clock.advance(11_000);
  await app.module.runOnce.sourcePoller();
  const current = await app.module.sources.get(app.caller('operator'), { id: source.id });
  assert.equal(current.selectedDigest, imageOf('one').digest);
});

test('a push in GitHub’s preset content type, a form, hastens the poll', async () => {
  await settle();
  const body = String(new URLSearchParams({ payload: JSON.stringify(payloads.github) }));
  const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  await assert.rejects(receive({ ...signed('', secret), ...type }, body), refusal('AUTH_TOKEN_INVALID'));
  assert.equal((await receive({ ...signed(body, secret), ...type }, body)).isHastened, true);
  assert.ok((await nextPoll()) <= 10_000);
});

test('a webhook about another repository, or about no push, hastens nothing and gets the reason', async () => {
  await settle();
  for (const body of [
    { repository: 'other/web', docker_url: 'quay.io/other/web', namespace: 'other' },
    { zen: 'Keep it logically awesome.', hook_id: 1 },
    { events: [{ action: 'pull', target: { repository: 'shop/web' } }] },
    { events: [null] },
    { type: 'QUOTA_EXCEED', event_data: { custom_attributes: {} } },
    { specversion: '1.0', type: 'harbor.artifact.deleted', data: { repository: { repo_full_name: 'shop/web' } } },
  ])
    assert.deepEqual(await receive({ authorization: secret }, JSON.stringify(body)), {
      isHastened: false,
      reason: 'The webhook tells of no push to shop/web.',
    });
  assert.ok((await nextPoll()) > 60_000_000);
});

test('a webhook that cannot be read is refused with the reason, once its secret is proven', async () => {
  await settle();
  const send = (headers: Headers, body: string) => receive(headers, body, { address: '192.0.2.11' });
  for (const body of ['no JSON', '', '{"events":', '\ufffd\ufffd']) {
    await assert.rejects(send({ authorization: secret }, body), refusal('VAL_INVALID_JSON'));
    await assert.rejects(send({ authorization: 'wrong' }, body), refusal('AUTH_TOKEN_INVALID'));
  }
  for (const body of ['[]', 'null', '1', '{}', '{"action":"opened"}', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
    await assert.rejects(send({ authorization: secret }, body), (error: Error) => {
      assert.match(error.message, /Docker Registry .*Harbor .*GitHub .*GitLab .*Quay/);
      return refusal('VAL_SCHEMA_MISMATCH')(error);
    });
    await assert.rejects(send({ authorization: 'wrong' }, body), refusal('AUTH_TOKEN_INVALID'));
  }
  assert.ok((await nextPoll()) > 60_000_000);
});

test('the first 1,000 events of a notification are read', async () => {
  await settle();
  const other = { action: 'push', target: { repository: 'shop/other' } };
  const own = { action: 'push', target: { repository: 'shop/web' } };
  const send = async (events: readonly object[]) =>
    (await receive({ authorization: secret }, JSON.stringify({ events }), { address: '192.0.2.12' })).isHastened;
  assert.equal(await send([...Array.from({ length: 1_000 }, () => other), own]), false);
  assert.equal(await send([own, ...Array.from({ length: 1_000 }, () => other)]), true);
});

test('a replayed webhook hastens no poll that follows another within ten seconds', async () => {
  await settle();
  const body = JSON.stringify(payloads.quay);
  const headers = { authorization: `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}` };
  let polls = 0;
  for (let second = 0; second < 30; second++) {
    await receive(headers, body);
    polls += await app.module.runOnce.sourcePoller();
    await app.clock.advance(1_000);
  }
  assert.ok(polls <= 3, `${polls} polls in 30 seconds`);
});

test('a push that is told of during a poll that misses it is polled ten seconds later', async () => {
  await settle();
  await app.clock.advance(100_000_000);
  {
    using _push = arm('sources.polled', async () => {
      await receive({ authorization: secret }, JSON.stringify(payloads.quay));
    });
    assert.equal(await app.module.runOnce.sourcePoller(), 1);
  }
  assert.equal(await nextPoll(), 10_000);
  await app.clock.advance(10_000);
  assert.equal(await app.module.runOnce.sourcePoller(), 1);
  assert.ok((await nextPoll()) > 60_000_000);
});

test('a poll by hand during a poll follows it at once', async () => {
  await settle();
  await app.clock.advance(100_000_000);
  let polls = 0;
  {
    using _ask = arm('sources.polled', async () => {
      polls += 1;
      if (polls === 1) await app.module.sources.poll(app.caller('operator'), { id: source.id });
    });
    await app.module.runOnce.sourcePoller();
    assert.ok((await nextPoll()) <= 0);
    await app.module.runOnce.sourcePoller();
  }
  assert.equal(polls, 2);
  assert.ok((await nextPoll()) > 60_000_000);
});

test('a webhook does not end the pause that a failing registry asked for, and an operator does', async () => {
  await settle();
  await app.clock.advance(100_000_000);
  {
    using _limited = app.registry.fault({ kind: 'status', match: '/shop/web/', status: 429 });
    await app.module.runOnce.sourcePoller();
  }
  const pause = await nextPoll();
  assert.ok(pause > 600_000, String(pause));
  const { reason } = await receive({ authorization: secret }, JSON.stringify(payloads.quay), { address: '192.0.2.9' });
  assert.match(reason ?? '', /poll failed/);
  assert.equal(await nextPoll(), pause);
  await app.module.sources.poll(app.caller('operator'), { id: source.id });
  assert.ok((await nextPoll()) <= 0);
  await app.module.runOnce.sourcePoller();
});

test('a forged webhook, one of another source or tenant, and one of nobody get the same refusal', async () => {
  await settle();
  const body = JSON.stringify(payloads.docker);
  const absent = '01900000-0000-7000-8000-000000000000';
  const forged: readonly (readonly [Headers, object?])[] = [
    [{}],
    [{ authorization: 'Bearer wrong' }],
    [{ authorization: `Bearer ${secret.slice(1)}` }],
    [{ 'x-gitlab-token': '' }],
    [signed(`${body} `, secret)],
    [signed(body, 'wrong')],
    // With a signature present, only the signature counts.
    [{ ...signed(body, 'wrong'), 'x-gitlab-token': secret }],
    [{ authorization: secret }, { id: absent }],
    [{ authorization: secret }, { id: 'not an id' }],
    [{ authorization: secret }, { tenant: 'globex' }],
    [{ authorization: secret }, { tenant: '../acme' }],
  ];
  const messages = new Set<string>();
  for (const [headers, location] of forged)
    await assert.rejects(receive(headers, body, { ...location, address: '192.0.2.2' }), (error: Error) => {
      messages.add(error.message);
      return refusal('AUTH_TOKEN_INVALID')(error);
    });
  assert.equal(messages.size, 1);
  assert.ok((await nextPoll()) > 60_000_000);
});

test('one sender is limited, and others are not', async () => {
  const body = JSON.stringify(payloads.quay);
  const send = (address: string) => receive({ authorization: secret }, body, { address });
  for (let i = 0; i < 60; i++) await send('192.0.2.3');
  await assert.rejects(send('192.0.2.3'), refusal('cost_budget_exhausted', { retryAfter: 60 }));
  await send('192.0.2.4');
});

test('one sender is limited over all sources, also those that do not exist', async () => {
  const send = (index: number) => receive({}, '{}', { address: '192.0.2.10', id: `source-${index}` });
  for (let index = 0; index < 600; index++) await assert.rejects(send(index), refusal('AUTH_TOKEN_INVALID'));
  await assert.rejects(send(600), refusal('cost_budget_exhausted'));
});

test('a new secret ends the one before, and a webhook that is taken away takes none', async () => {
  const operator = app.caller('operator');
  const body = JSON.stringify(payloads.quay);
  const set = async (isEnabled: boolean) => {
    const { version } = await app.module.sources.get(operator, { id: source.id });
    return app.module.sources.setWebhook(operator, { id: source.id, expectedVersion: version, isEnabled });
  };
  const send = (input: string) => receive({ authorization: input }, body, { address: '192.0.2.5' });
  const { secret: next } = await set(true);
  await assert.rejects(send(secret), refusal('AUTH_TOKEN_INVALID'));
  await send(next ?? '');
  assert.equal((await set(false)).secret, null);
  await assert.rejects(send(next ?? ''), refusal('AUTH_TOKEN_INVALID'));
});

test('a secret is proven by signature, token or Authorization, and by nothing else', () => {
  assert.ok(provesSecret(signed('body', 'key'), 'body', 'key'));
  assert.ok(provesSecret({ 'x-gitlab-token': 'key' }, '', 'key'));
  assert.ok(provesSecret({ authorization: 'bearer key' }, '', 'key'));
  assert.ok(provesSecret({ authorization: 'key' }, '', 'key'));
  assert.equal(provesSecret({ authorization: ['key', 'key'] }, '', 'key'), false);
  assert.equal(provesSecret({ 'x-hub-signature-256': 'key' }, '', 'key'), false);
});

test('a project of GitLab names the repositories below it, and nobody else’s', () => {
  const body = JSON.stringify({ object_kind: 'push', project: { path_with_namespace: 'Group/App' } });
  assert.ok(namesRepository(body, 'application/json', 'group/app'));
  assert.ok(namesRepository(body, 'application/json', 'group/app/web'));
  assert.equal(namesRepository(body, 'application/json', 'group/app-two'), false);
});
