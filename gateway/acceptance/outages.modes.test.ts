import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { until } from '@landfall/kernel/testing/until';
import { bearer } from '../testing/people.ts';
import { modes, type Product, sharedProduct, startProduct } from '../testing/start.ts';

const RELEASES = '/api/v1/release-orchestrator/releases';
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

type Headers = Readonly<Record<string, string>>;

const get = async ({ baseUrl }: Product, path: string, headers: Headers = {}) => {
  const response = await fetch(baseUrl + path, { headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
};

const graph = async ({ baseUrl }: Product, query: string, headers: Headers) => {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(await response.text());
};

if (modes.includes('roles'))
  test('roles: a module that is down takes its own parts of an answer with it, and nothing else', async () => {
    await using product = await startProduct('roles');
    const { headers } = await bearer(product, 'outages');
    const orchestrator = product.processes.find(({ output }) => output().includes('module:orchestrator'));
    assert.ok(orchestrator);
    orchestrator.child.kill('SIGKILL');
    await once(orchestrator.child, 'exit');

    const { data, errors } = await graph(
      product,
      `{ me { tenant } gone: release(id: "${UNKNOWN_ID}") { id } }`,
      headers,
    );
    assert.deepEqual(data, { me: { tenant: 'outages' }, gone: null });
    assert.equal(errors.length, 1);
    assert.deepEqual(errors[0].path, ['gone']);
    assert.equal(errors[0].extensions.code, 'SYS_SERVICE_UNAVAILABLE');

    const rest = await get(product, RELEASES, headers);
    assert.deepEqual([rest.status, rest.body.error.code], [500, 'SYS_SERVICE_UNAVAILABLE']);
    assert.match(rest.headers.get('retry-after') ?? '', /^\d+$/);

    const ready = await get(product, '/readyz');
    assert.deepEqual([ready.status, ready.body.missing], [503, ['orchestrator']]);
    assert.equal((await get(product, '/healthz')).status, 200);
  });

for (const mode of modes)
  describe(mode, () => {
    test('a revoked token is refused from then on', async () => {
      await using product = await sharedProduct(mode);
      const { headers, revoke } = await bearer(product, 'outages');
      assert.equal((await get(product, RELEASES, headers)).status, 200);
      await revoke();
      // The revocation notice may still be on its way to the process that verified the token.
      await until(async () => (await get(product, RELEASES, headers)).status !== 200);
      const { status, body } = await get(product, RELEASES, headers);
      assert.deepEqual([status, body.error.code], [401, 'AUTH_TOKEN_REVOKED']);
    });
  });
