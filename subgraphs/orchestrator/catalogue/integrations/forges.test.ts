import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';
import { people } from '@landfall/kernel/testing/callers';
import { type Forge, forges } from '../../shared/enums.ts';
import { type CatalogueApp, catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { commitId, startForge } from './forge.fixture.ts';
import { createForges, listForges } from './forges.ts';

let app: CatalogueApp;
before(async () => {
  app = await catalogueApp();
});
after(() => app[Symbol.asyncDispose]());

const TOKEN = 'forge-token-of-this-test';
const caller = people.viewer;

/** Starts a forge of a kind, and saves the integration with it. */
const integrated = async (provider: Forge) => {
  const forge = await startForge(provider, { token: TOKEN });
  const operator = app.caller('operator');
  const name = `Forge ${forge.host.replace(':', ' ')}`;
  const input = { kind: 'scm', provider, name, baseUrl: forge.origin, password: TOKEN };
  const integration = await app.module.integrations.create(operator, input);
  const saved = await app.deps.database.read(toTenantId('acme'), (query) => listForges(query, toTenantId('acme')));
  const found = saved.find(({ id }) => id === integration.id);
  assert.ok(found);
  return { forge, integration, saved: found };
};

const withShortTimeout: Pick<HttpClient, 'send'> = {
  send: (request) => app.deps.http.send({ ...request, timeouts: { ...request.timeouts, total: 300 } }),
};
const client = (http: Pick<HttpClient, 'send'> = app.deps.http) =>
  createForges({ secrets: app.deps.secrets, http: { ...app.deps.http, ...http } });

const codeOf = (value: unknown): unknown => (value instanceof Fault ? value.code : value);

for (const provider of forges) {
  test(`${provider}: the commits between two revisions come newest first, with their author and page`, async () => {
    const { forge, saved } = await integrated(provider);
    await using _forge = forge;
    forge.push('acme/shop', ['one', 'two', 'three\n\nSHOP-3 <b>bold</b>']);
    const found = await client().commits(caller, saved, 'acme/shop', commitId(0), commitId(2));
    assert.ok(!(found instanceof Fault), String(found));
    assert.deepEqual([found.total, found.commits.map(({ id }) => id)], [2, [commitId(2), commitId(1)]]);
    const [newest] = found.commits;
    assert.deepEqual([newest?.message, newest?.author], ['three\n\nSHOP-3 <b>bold</b>', 'Ana Duarte']);
    assert.match(newest?.url ?? '', new RegExp(`^${forge.origin}/acme/shop/.*commit/${commitId(2)}$`));
    const back = await client().commits(caller, saved, 'acme/shop', commitId(2), commitId(0));
    assert.deepEqual(back, { commits: [], total: 0 });
  });

  test(`${provider}: a test of the integration says whether the token is accepted`, async () => {
    const { forge, integration } = await integrated(provider);
    await using _forge = forge;
    const operator = app.caller('operator');
    assert.equal((await app.module.integrations.test(operator, { id: integration.id })).probeOk, true);
    const wrong = { kind: 'scm', provider, baseUrl: forge.origin, password: 'another-token' };
    const tried = await app.module.integrations.try(operator, wrong);
    assert.deepEqual([tried.ok, tried.code], [false, 'INT_AUTH_FAILED']);
    const storedResult = await app.module.integrations.try(operator, {
      id: integration.id,
      kind: 'scm',
      provider,
      baseUrl: forge.origin,
    });
    assert.equal(storedResult.ok, true, 'the saved token goes to its own address');
  });

  test(`${provider}: what is not an answer of its interface has a code of its own, and shows no token`, async () => {
    const { forge, saved } = await integrated(provider);
    await using _forge = forge;
    forge.push('acme/shop', ['one', 'two']);
    const ask = (path = 'acme/shop', http?: Pick<HttpClient, 'send'>) =>
      client(http).commits(caller, saved, path, commitId(0), commitId(1));
    assert.equal(codeOf(await ask('acme/nothing')), 'INT_RESOURCE_NOT_FOUND');
    const faults: readonly (readonly [Parameters<typeof forge.fault>[0], string])[] = [
      [{ kind: 'status', status: 401, body: { message: `Bad credentials ${TOKEN}` } }, 'INT_AUTH_FAILED'],
      [{ kind: 'status', status: 403, headers: { 'x-ratelimit-remaining': '0' } }, 'INT_RATE_LIMITED'],
      [{ kind: 'status', status: 429, headers: { 'retry-after': '60' } }, 'INT_RATE_LIMITED'],
      [{ kind: 'status', status: 500 }, 'INT_CONNECTION_FAILED'],
      [{ kind: 'status', status: 204 }, 'INT_INVALID_RESPONSE'],
      [{ kind: 'text', text: '<html>Sign in</html>' }, 'INT_INVALID_RESPONSE'],
      [
        {
          kind: 'text',
          text: '{"commits":[{"sha":"main","id":"main","message":"m","commit":{"message":"m"}}],"total_commits":1}',
        },
        'INT_INVALID_RESPONSE',
      ],
      [{ kind: 'text', text: '[]' }, 'INT_INVALID_RESPONSE'],
      [{ kind: 'bloat', bytes: 9 * 1024 * 1024 }, 'INT_INVALID_RESPONSE'],
      [{ kind: 'hang' }, 'INT_TIMEOUT'],
    ];
    for (const [fault, code] of faults) {
      using _fault = forge.fault(fault);
      const answer = await ask('acme/shop', fault.kind === 'hang' ? withShortTimeout : undefined);
      assert.equal(codeOf(answer), code, JSON.stringify(fault));
      assert.ok(!String(answer).includes(TOKEN));
    }
  });

  test(`${provider}: at most 250 commits are kept, and their texts are cut`, async () => {
    const { forge, saved } = await integrated(provider);
    await using _forge = forge;
    forge.push(
      'acme/shop',
      Array.from({ length: 301 }, () => 'x'.repeat(5_000)),
    );
    const found = await client().commits(caller, saved, 'acme/shop', commitId(0), commitId(300));
    assert.ok(!(found instanceof Fault), String(found));
    assert.deepEqual([found.commits.length, found.total, found.commits[0]?.message.length], [250, 300, 2_000]);
  });
}

test('github.com is asked at the address of its interface, and its token goes nowhere else', async () => {
  const { forge, saved } = await integrated('github');
  await using _forge = forge;
  forge.push('acme/shop', ['one', 'two']);
  const urls: string[] = [];
  const passing: Pick<HttpClient, 'send'> = {
    send: (request) => {
      urls.push(request.url, ...(request.vouched ?? []));
      const url = request.url.replace('https://api.github.com', `${forge.origin}/api/v3`);
      return app.deps.http.send({ ...request, url, vouched: new Set([forge.origin]) });
    },
  };
  const cloud = { ...saved, baseUrl: 'https://github.com', host: 'github.com' };
  const found = await client(passing).commits(caller, cloud, 'acme/shop', commitId(0), commitId(1));
  assert.ok(!(found instanceof Fault), String(found));
  const path = `/repos/acme/shop/compare/${commitId(0)}...${commitId(1)}`;
  assert.deepEqual(urls, [`https://api.github.com${path}`, 'https://api.github.com']);
});

test('a disabled forge is not asked', async () => {
  const { forge, saved } = await integrated('github');
  await using _forge = forge;
  const answer = await client().commits(caller, { ...saved, disabledAt: new Date() }, 'acme/shop', 'a', 'b');
  assert.equal(codeOf(answer), 'INT_CONNECTION_FAILED');
  assert.deepEqual(forge.requests, []);
});

test('a forge has a provider and a token, other integrations have no provider', async () => {
  const operator = app.caller('operator');
  const create = (overrides: object) =>
    app.module.integrations.create(operator, { name: 'Refused', baseUrl: 'https://git.example', ...overrides });
  const refused: readonly (readonly [object, string])[] = [
    [{ kind: 'scm' }, 'VAL_REQUIRED_FIELD'],
    [{ kind: 'registry', provider: 'gitea' }, 'VAL_INVALID_VALUE'],
    [{ kind: 'scm', provider: 'gitea', username: 'ana', password: 'x' }, 'VAL_INVALID_VALUE'],
    [{ kind: 'scm', provider: 'gitea', password: 'two words' }, 'VAL_INVALID_FORMAT'],
    [{ kind: 'scm', provider: 'gitea', baseUrl: 'https://git.example/sub' }, 'VAL_INVALID_FORMAT'],
    [{ kind: 'scm', provider: 'bitbucket' }, 'VAL_INVALID_VALUE'],
  ];
  for (const [input, code] of refused) await assert.rejects(create(input), refusal(code), JSON.stringify(input));
});

test('a forge may have the host of a registry, and only a registry is in use by releases', async () => {
  const operator = app.caller('operator');
  await app.seed.finalized();
  await app.module.integrations.create(operator, { kind: 'registry', name: 'Same host', baseUrl: app.registry.origin });
  const forge = { kind: 'scm', provider: 'gitea', name: 'Same host of a forge', baseUrl: app.registry.origin };
  const { id, version } = await app.module.integrations.create(operator, forge);
  await assert.rejects(
    app.module.integrations.create(operator, { ...forge, name: 'Again' }),
    refusal('RES_ALREADY_EXISTS'),
  );
  await app.module.integrations.remove(operator, { id, expectedVersion: version });
});
