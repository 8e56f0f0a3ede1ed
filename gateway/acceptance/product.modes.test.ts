import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { auditSeals } from '@landfall/kernel/events/audit';
import * as seals from '@landfall/kernel/events/seal.store';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { createEnvelopes, envelopeHeader } from '../roles/envelope.ts';
import { type Bearer, bearer, consoleUser } from '../testing/people.ts';
import { modes, type Product, sharedProduct } from '../testing/start.ts';

/** Tenant of this file, in a product that other files use too. */
const TENANT = 'product';
const RELEASES = '/api/v1/release-orchestrator/releases';
const CORRELATION = '0b6cd4c2-5a6b-4a3f-8a53-7f8a6a9c2d10';

/** Identity headers that an attacker may forge. */
const CLAIMS = {
  'X-User-Id': 'root',
  'X-Tenant-Id': 'globex',
  'X-Scopes': 'orch:admin authority:admin',
  'X-Svc-Actor': 'root',
  'X-Svc-Tenant': 'globex',
  'X-Landfall-Subject': 'root',
  'X-Landfall-Envelope': 'e30.e30',
};

const jsonOf = async (response: Response) => JSON.parse(await response.text());

for (const mode of modes) {
  describe(mode, () => {
    let product: Product;
    let operator: Bearer;
    let reader: Bearer;
    let other: Bearer;

    before(async () => {
      product = await sharedProduct(mode);
      operator = await bearer(product, TENANT);
      reader = await bearer(product, TENANT, ['release:read']);
      other = await bearer(product, 'product-other');
    });
    after(() => product[Symbol.asyncDispose]());

    const get = async (path: string, headers: Readonly<Record<string, string>> = {}, origin = product.baseUrl) => {
      const response = await fetch(origin + path, { headers, redirect: 'manual' });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    };

    const graph = async (query: string, headers: Readonly<Record<string, string>> = {}, variables: object = {}) => {
      const response = await fetch(`${product.baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return { status: response.status, headers: response.headers, body: await jsonOf(response) };
    };

    const createRelease = async (semver: string): Promise<string> => {
      const mutation = 'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { id } }';
      const { body } = await graph(mutation, operator.headers, { input: { name: 'shop', semver } });
      return body.data.createRelease.id;
    };

    // spec: rulings/20
    // spec: 4.6/ready
    test('health says that the process serves, readiness that everything answers', async () => {
      const health = await get('/healthz');
      assert.deepEqual([health.status, health.text], [200, 'Healthy']);
      assert.match(health.headers.get('content-type') ?? '', /^text\/plain/);
      for (const path of ['/readyz', '/healthz/ready'])
        assert.deepEqual((await get(path)).body, { status: 'ready', missing: [] });
    });

    test('headers that claim an identity are none', async () => {
      assert.equal((await get(RELEASES, CLAIMS)).status, 401);
      assert.equal((await graph('{ me { subject } }', CLAIMS)).status, 401);
      const { body } = await graph('{ me { subject tenant scopes } }', { ...reader.headers, ...CLAIMS });
      assert.deepEqual(body.data.me, { subject: reader.clientId, tenant: TENANT, scopes: ['release:read'] });
    });

    test('a recorded actor is the verified subject, whatever the headers say', async () => {
      const mutation = 'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { createdBy { id } } }';
      const input = { name: 'spoofed', semver: '1.0.0' };
      const { body } = await graph(mutation, { ...operator.headers, ...CLAIMS }, { input });
      assert.equal(body.data.createRelease.createdBy.id, operator.clientId);
    });

    test('what is written is sealed by whoever works there, and the log has the seal', async () => {
      await createRelease('7.0.0');
      const isWaiting = () => product.deps.database.system.read(seals.isWaiting);
      const newest = () => product.deps.database.system.read(seals.newestSeal);
      await until(async () => !((await isWaiting()) || ((await newest())?.logIndex ?? null) === null));
      const findings: string[] = [];
      const { events } = await auditSeals(product.deps.database, ({ text }) => void findings.push(text));
      assert.deepEqual(findings, []);
      assert.ok(events > 0);
    });

    test('nobody is 401 on the graph, with an error body', async () => {
      const { status, body } = await graph('{ me { subject } }');
      assert.equal(status, 401);
      const { code, category, requestId } = body.errors[0].extensions;
      assert.deepEqual([code, category], ['AUTH_TOKEN_MISSING', 'authentication']);
      assert.match(requestId, /^[0-9a-f-]{36}$/);
      const bad = await graph('{ me { subject } }', { authorization: 'Bearer a.b.c' });
      assert.deepEqual([bad.status, bad.body.errors[0].extensions.code], [401, 'AUTH_TOKEN_INVALID']);
    });

    test('a body that is no operation is refused with a code', async () => {
      const send = async (body: string, type = 'application/json') => {
        const headers = { 'content-type': type, ...operator.headers };
        const response = await fetch(`${product.baseUrl}/graphql`, { method: 'POST', headers, body });
        return [response.status, (await jsonOf(response)).errors[0].extensions.code];
      };
      assert.deepEqual(await send('{'), [400, 'VAL_INVALID_JSON']);
      assert.deepEqual(await send('{"query":1}'), [400, 'VAL_INVALID_FORMAT']);
      assert.deepEqual(await send('query', 'text/plain'), [415, 'VAL_INVALID_FORMAT']);
      assert.deepEqual(await send(`{"query":"${'x'.repeat(1_100_000)}"}`), [413, 'VAL_TOO_LONG']);
    });

    test('an unknown path of an interface is a 404 of its own, never the console', async () => {
      for (const path of ['/api/v1/nothing', '/v1/nothing', '/system/nothing', '/token/nothing', '/oauth/nothing']) {
        const { status, body } = await get(path, { accept: 'text/html' });
        assert.equal(status, 404, path);
        assert.equal(body.error.code, 'RES_NOT_FOUND');
        assert.equal(body.success, false);
      }
    });

    // spec: 5/correlation-id, rulings/37
    test('a correlation id is echoed and used; one that is none is replaced', async () => {
      const { headers, body } = await get('/api/v1/nothing', { 'x-svc-correlation-id': CORRELATION });
      assert.equal(headers.get('x-svc-correlation-id'), CORRELATION);
      assert.equal(body.meta.requestId, CORRELATION);
      const missing = await get(`${RELEASES}/${CORRELATION}`, {
        ...operator.headers,
        'x-svc-correlation-id': CORRELATION,
      });
      assert.equal(missing.body.meta.requestId, CORRELATION);
      const replaced = await get(RELEASES, { 'x-svc-correlation-id': 'me' });
      assert.match(replaced.headers.get('x-svc-correlation-id') ?? '', /^[0-9a-f-]{36}$/);
    });

    test('one truth over both doors, each tenant its own', async () => {
      const id = await createRelease('1.0.0');
      const rest = await get(`${RELEASES}/${id}`, operator.headers);
      const { body } = await graph('query ($id: ID!) { release(id: $id) { id name semver version } }', reader.headers, {
        id,
      });
      const { name, semver, version } = rest.body;
      assert.deepEqual(body.data.release, { id, name, semver, version });
      assert.equal((await get(`${RELEASES}/${id}`, other.headers)).body.error.code, 'RES_RELEASE_NOT_FOUND');
    });

    test('a refusal is the same over both doors', async () => {
      const unrelated = await bearer(product, TENANT, ['findings:read']);
      const rest = await get(RELEASES, unrelated.headers);
      const { body } = await graph('{ users { edges { node { id } } } }', reader.headers);
      assert.deepEqual([rest.status, rest.body.error.code], [403, 'PERM_SCOPE_DENIED']);
      assert.equal(body.errors[0].extensions.code, 'PERM_SCOPE_DENIED');
      const bad = await get(`${RELEASES}?limit=0&cursor=%20&status=gone`, operator.headers);
      assert.deepEqual(
        bad.body.error.validationErrors.map(({ field }: { field: string }) => field),
        ['limit', 'status'],
      );
    });

    test('one answer joins two modules', async () => {
      const ann = await consoleUser(product, TENANT);
      const send = async (query: string, variables: object = {}) => {
        const headers = { 'content-type': 'application/json', 'x-landfall-csrf': ann.csrf };
        const body = JSON.stringify({ query, variables });
        return jsonOf(await ann.send(new URL('/graphql', product.baseUrl), { method: 'POST', headers, body }));
      };
      const input = { name: 'joined', semver: '1.0.0' };
      const mutation =
        'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { createdBy { id displayName } } }';
      const { data } = await send(mutation, { input });
      const { me } = (await send('{ me { subject user { displayName } } }')).data;
      assert.deepEqual(data.createRelease.createdBy, { id: me.subject, displayName: 'Ann' });
    });

    // spec: rulings/67
    test('a cookie alone changes nothing: writes need the CSRF header, and signing out ends it all', async () => {
      const ann = await consoleUser(product, TENANT);
      const post = async (path: string, csrf: string | undefined, body: object) => {
        const headers = {
          'content-type': 'application/json',
          ...(csrf !== undefined && { 'x-landfall-csrf': csrf }),
        };
        const url = new URL(path, product.baseUrl);
        return ann.send(url, { method: 'POST', headers, body: JSON.stringify(body) });
      };
      for (const csrf of [undefined, '', `${ann.csrf}x`]) {
        const refused = await post('/graphql', csrf, { query: '{ me { subject } }' });
        assert.deepEqual([refused.status, (await jsonOf(refused)).errors[0].extensions.code], [403, 'PERM_DENIED']);
        assert.equal((await post('/session/sign-out', csrf, {})).status, 403);
        assert.equal((await post('/v1/search/synthesize', csrf, { q: 'rotate keys' })).status, 403);
      }
      const stream = await post('/v1/search/synthesize', ann.csrf, { q: 'rotate keys' });
      assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream; charset=utf-8']);
      assert.match(await stream.text(), /^event: synthesis_start$/m);
      assert.equal((await post('/graphql', ann.csrf, { query: '{ me { subject } }' })).status, 200);
      assert.equal((await ann.send(new URL(RELEASES, product.baseUrl), {})).status, 200);

      assert.equal((await post('/session/sign-out', ann.csrf, {})).status, 204);
      assert.equal((await post('/graphql', ann.csrf, { query: '{ me { subject } }' })).status, 401);
      const repeated = await ann.send(new URL('/session/sign-in', product.baseUrl), {});
      assert.match(repeated.headers.get('location') ?? '', /[?&]prompt=login/);
    });

    test('who signs out of the console is signed out of the authority too', async () => {
      const ann = await consoleUser(product, TENANT);
      const follow = async (from: URL): Promise<{ url: URL; response: Response }> => {
        const response = await ann.send(from, {});
        const location = response.headers.get('location');
        return location === null ? { url: from, response } : follow(new URL(location, from));
      };
      const signIn = new URL('/session/sign-in', product.baseUrl);
      const authorize = new URL((await ann.send(signIn, {})).headers.get('location') ?? '');
      assert.equal((await ann.send(authorize, {})).status, 303, 'the authority knows this browser');

      const headers = { 'x-landfall-csrf': ann.csrf };
      await ann.send(new URL('/session/sign-out', product.baseUrl), { method: 'POST', headers });
      const { url } = await follow(new URL('/session/signed-out', product.baseUrl));
      assert.equal(url.href, `${product.baseUrl}/`);
      const { status, headers: answered } = await ann.send(authorize, {});
      assert.deepEqual([status, answered.get('content-type')], [200, 'text/html; charset=utf-8'], 'the sign-in page');
    });

    test('the session says who is signed in, and nothing of its tokens', async () => {
      const ann = await consoleUser(product, TENANT);
      const session = await jsonOf(await ann.send(new URL('/session', product.baseUrl), {}));
      assert.deepEqual(Object.keys(session), ['subject', 'name', 'tenant', 'scopes', 'csrf', 'expiresAt']);
      assert.deepEqual([session.name, session.tenant], ['Ann', TENANT]);
      assert.equal((await get('/session')).status, 204, 'nobody is signed in, which is no failure');
    });

    test('a sign-in comes back to a path of this site only', async () => {
      const ann = await consoleUser(product, TENANT);
      for (const [input, path] of [
        ['/releases?x=1', '/releases?x=1'],
        ['//evil.example', '/'],
        ['https://evil.example/', '/'],
        ['/\\evil.example', '/'],
        ['/.//evil.example', '/'],
      ] as const) {
        let url = new URL(`/session/sign-in?return=${encodeURIComponent(input)}`, product.baseUrl);
        while (/^\/(session\/|authorize)/.test(url.pathname)) {
          const { headers } = await ann.send(url, {});
          url = new URL(headers.get('location') ?? '/lost', url);
        }
        assert.equal(url.href, new URL(path, product.baseUrl).href, input);
      }
    });

    test('a sign-in begun under another name of this machine goes on under the public one, once', async () => {
      const { origin, port } = new URL(product.baseUrl);
      const begin = async (path: string) => {
        const url = `http://${origin.includes('localhost') ? '127.0.0.1' : 'localhost'}:${port}${path}`;
        const { headers } = await fetch(url, { redirect: 'manual' });
        return new URL(headers.get('location') ?? '/lost', url);
      };
      const moved = await begin('/session/sign-in?return=/releases');
      assert.equal(moved.href, `${origin}/session/sign-in?return=%2Freleases&moved=1`);
      const { pathname } = await begin(`${moved.pathname}${moved.search}`);
      assert.equal(pathname, '/authorize');
    });

    test('a sign-in that nobody began starts no session: who is known here goes on, others are told what to do', async () => {
      const callback = '/session/callback?code=x&state=y';
      const ann = await consoleUser(product, TENANT);
      const back = await ann.send(new URL(callback, product.baseUrl), {});
      assert.deepEqual([back.status, back.headers.get('location')], [303, '/']);
      assert.equal(back.headers.get('set-cookie'), null);
      const unrelated = await get(callback);
      assert.deepEqual([unrelated.status, unrelated.headers.get('location')], [303, '/session/trouble?return=%2F']);
      const result = await get('/session/trouble?return=%2Freleases');
      assert.equal(result.status, 400);
      assert.match(result.text, /href="\/session\/sign-in\?return=%2Freleases"/);
    });

    test('changes are told to their tenant, and again to who comes back', async () => {
      const read = async (headers: Readonly<Record<string, string>>, semver: string) => {
        const removed = new AbortController();
        const response = await fetch(`${product.baseUrl}/changes`, { headers, signal: removed.signal });
        assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
        const id = await createRelease(semver);
        let text = '';
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += chunk;
          if (text.includes(id) && text.endsWith('\n\n')) break;
        }
        removed.abort();
        return { text, id };
      };
      const first = await read(operator.headers, '2.0.1');
      assert.match(first.text, new RegExp(`data: {"type":"Release","id":"${first.id}","version":1}`));
      const last = first.text.match(/\d+-\d+(?=\ndata: \{"type")/g)?.at(-1) ?? '';
      const missed = await createRelease('3.0.0');
      const second = await read({ ...operator.headers, 'last-event-id': last }, '2.0.2');
      assert.match(second.text, new RegExp(missed));
      assert.doesNotMatch(second.text, new RegExp(first.id));
      assert.equal((await get('/changes')).status, 401);
      assert.equal(
        (await get('/changes', { ...operator.headers, 'last-event-id': 'x' })).body.error.code,
        'VAL_INVALID_FORMAT',
      );
    });

    if (mode === 'roles')
      test('a module answers 401 to whoever has no envelope for this very request', async () => {
        const { deps, inside: inner } = product;
        const envelopes = createEnvelopes({ ...deps, role: 'edge' });
        const orchestrator = inner.orchestrator ?? '';
        const sealFor = (audience: string, method: string, path: string, body?: string) =>
          envelopes.seal(caller({ subject: 'ann', scopes: ['release:read'] }), audience, { method, path, body });
        const status = async (path: string, envelope?: string) =>
          (await get(path, envelope === undefined ? {} : { [envelopeHeader]: envelope }, orchestrator)).status;

        const good = sealFor('module:orchestrator', 'GET', RELEASES);
        assert.equal(await status(RELEASES, good), 200);
        assert.equal(await status(RELEASES), 401);
        assert.equal((await get(RELEASES, { ...operator.headers, ...CLAIMS }, orchestrator)).status, 401);
        assert.equal(await status(`${RELEASES}?limit=1`, good), 401);
        assert.equal(await status(`${RELEASES}/${CORRELATION}`, good), 401);
        assert.equal(await status(RELEASES, sealFor('module:authority', 'GET', RELEASES)), 401);
        assert.equal(await status(RELEASES, sealFor('module:orchestrator', 'GET', RELEASES, '{}')), 401);
        const unrelated = createEnvelopes({ ...deps, role: 'module:authority' });
        const forged = unrelated.seal(caller({ subject: 'ann' }), 'module:orchestrator', { method: 'GET', path: '/' });
        assert.equal(await status(RELEASES, forged), 401);

        const ask = async (sent: string, sealed: string) => {
          const envelope = sealFor('module:orchestrator', 'POST', '/graphql', sealed);
          const headers = { 'content-type': 'application/json', [envelopeHeader]: envelope };
          return (await fetch(`${orchestrator}/graphql`, { method: 'POST', headers, body: sent })).status;
        };
        const operation = (query: string) => JSON.stringify({ query, operationName: null, variables: {} });
        assert.equal(await ask(operation('{ agents { id } }'), operation('{ agents { id } }')), 200);
        assert.equal(await ask(operation('{ secrets { name } }'), operation('{ agents { id } }')), 401);
      });
  });
}
