import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { authorityModule } from '@landfall/authority';
import { buildSchema } from 'graphql';
import { type Bearer, bearer } from '../testing/people.ts';
import { modes, type Product, sharedProduct } from '../testing/start.ts';

const BOTH = 'Bearer realm="landfall", DPoP algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"';
/** Tenant of this file, in a product that other files use too. */
const TENANT = 'http-standards';
const RELEASES = '/api/v1/release-orchestrator/releases';

for (const mode of modes) {
  describe(mode, () => {
    let product: Product;
    let operator: Bearer;
    let puller: Bearer;

    before(async () => {
      product = await sharedProduct(mode);
      operator = await bearer(product, TENANT);
      puller = await bearer(product, TENANT, ['registry.token.issue']);
    });
    after(() => product[Symbol.asyncDispose]());

    const send = async (
      method: string,
      path: string,
      headers: Readonly<Record<string, string>> = {},
      body?: string,
    ) => {
      const answer = await fetch(product.baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };

    test('the realm issues nothing to a HEAD, and says which methods it takes', async () => {
      const query = '/token?service=registry.example';
      assert.equal((await send('GET', query, puller.headers)).status, 401, 'a GET is judged: its token is not bound');
      for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE']) {
        const { status, headers, text } = await send(method, query, puller.headers);
        assert.deepEqual([status, headers.get('allow')], [405, 'GET, OPTIONS, POST'], method);
        assert.equal(headers.get('www-authenticate'), null, 'no credentials would help');
        if (method !== 'HEAD')
          assert.deepEqual([JSON.parse(text).status, JSON.parse(text).error], [405, 'invalid_request']);
      }
      const options = await send('OPTIONS', '/token');
      assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, OPTIONS, POST']);
    });

    test('a refused caller is challenged on REST, graph and the feed of changes', async () => {
      const graph = { 'content-type': 'application/json' };
      const requests = (headers: Readonly<Record<string, string>>) => [
        send('GET', RELEASES, headers),
        send('POST', '/graphql', { ...graph, ...headers }, JSON.stringify({ query: '{ __typename }' })),
        send('GET', '/changes', headers),
        send('GET', '/scim/v2/Users', headers),
        send('GET', '/v1/advisory-ai/search/history', headers),
      ];
      for (const { status, headers } of await Promise.all(requests({})))
        assert.deepEqual([status, headers.get('www-authenticate')], [401, BOTH]);
      for (const { status, headers } of await Promise.all(requests({ authorization: 'Bearer nothing' })))
        assert.deepEqual(
          [status, headers.get('www-authenticate')],
          [401, 'Bearer realm="landfall", error="invalid_token", error_description="The token is not a signed JWT."'],
        );
      const denied = await send('GET', RELEASES, puller.headers);
      assert.equal(denied.status, 403);
      assert.match(
        denied.headers.get('www-authenticate') ?? '',
        /^Bearer realm="landfall", error="insufficient_scope", .*scope="/,
      );
      assert.equal((await send('GET', RELEASES, operator.headers)).headers.get('www-authenticate'), null);
    });

    test('a caller that takes no answer of the graph is refused with 406, before its operation runs', async () => {
      const name = `For nobody ${mode}`;
      const query = `mutation { createEnvironment(input: { name: "${name}", orderIndex: 4060, stageKind: STAGE }) { id } }`;
      const ask = (accept: string, source: string) => {
        const headers = { ...operator.headers, 'content-type': 'application/json', accept };
        return send('POST', '/graphql', headers, JSON.stringify({ query: source }));
      };
      for (const accept of ['text/event-stream', 'text/html', 'application/json;q=0']) {
        const { status, headers, text } = await ask(accept, query);
        const [{ extensions }] = JSON.parse(text).errors;
        assert.deepEqual([status, extensions.status, extensions.code], [406, 406, 'VAL_INVALID_FORMAT'], accept);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      }
      const types = ['text/event-stream, application/json', 'application/json;odata=verbose', '*/*'];
      for (const accept of types) {
        const { status, headers, text } = await ask(accept, '{ environments { name } }');
        assert.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=utf-8'], accept);
        assert.ok(!text.includes(name), 'nothing of a refused operation happened');
      }
      const finished = await ask('application/json', query);
      assert.ok(JSON.parse(finished.text).data.createEnvironment.id, 'the refused operation was a good one');
      const own = await ask('application/graphql-response+json', '{ environments { name } }');
      assert.ok(own.text.includes(name));
      assert.equal(own.headers.get('content-type'), 'application/graphql-response+json; charset=utf-8');
    });

    /** Registers a client of the tenant with a page's origin. */
    const registered = async (origin: string): Promise<void> => {
      const { bootstrap } = authorityModule.get(product.modules);
      await bootstrap.ensureClient({
        ...{ tenant: TENANT, name: `page of ${origin}`, secret: 'x'.repeat(32), authMethods: ['none'] },
        ...{ grants: ['authorization_code'], redirectUris: [`${origin}/`], scopes: ['openid', 'release:read'] },
        allowedOrigins: [origin],
      });
    };

    const OFFERED = [
      ...[RELEASES, '/graphql', '/graphql/schema.graphql', '/changes', '/v1/search/query', '/token'].map(
        (path) => ['baseUrl', path] as const,
      ),
      ...['/token', '/revoke', '/userinfo', '/jwks', '/.well-known/openid-configuration', '/oauth/token'].map(
        (path) => ['authUrl', path] as const,
      ),
    ];

    // spec: rulings/71
    test('a page of a registered origin reads answers and refusals; any other page gets no access-control header', async () => {
      const origin = 'https://app.example';
      await registered(origin);
      const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
      for (const [listener, path] of OFFERED) {
        const ask = async (from: string, method: string, overrides: Readonly<Record<string, string>> = {}) => {
          const answer = await fetch(product[listener] + path, { method, headers: { origin: from, ...overrides } });
          await answer.body?.cancel();
          return answer;
        };
        const allowed = await ask(origin, 'OPTIONS', preflight);
        const at = (name: string) => allowed.headers.get(`access-control-${name}`) ?? '';
        assert.deepEqual(
          [allowed.status, at('allow-origin'), allowed.headers.get('vary')],
          [204, origin, 'Origin'],
          path,
        );
        assert.match(at('allow-methods'), /GET.*POST/);
        assert.match(at('allow-headers'), /Authorization.*Content-Type.*DPoP/);
        const answer = await ask(origin, 'GET');
        assert.equal(answer.headers.get('access-control-allow-origin'), origin, path);
        assert.match(answer.headers.get('access-control-expose-headers') ?? '', /DPoP-Nonce.*WWW-Authenticate/);
        for (const other of ['https://app.example:8443', 'https://evil.example', 'http://app.example', 'null'])
          for (const response of [await ask(other, 'OPTIONS', preflight), await ask(other, 'GET')])
            assert.deepEqual(
              [...response.headers.keys()].filter((name) => name.startsWith('access-control-')),
              [],
              `${other} ${path}`,
            );
        for (const response of [allowed, answer])
          assert.equal(
            response.headers.get('access-control-allow-credentials'),
            null,
            'a page brings a token, no cookie',
          );
      }
    });

    // spec: rulings/71
    test('sessions, the console and the directory’s interface stay same-origin', async () => {
      await registered('https://app.example');
      for (const path of ['/', '/session', '/session/sign-in', '/scim/v2/Users', '/metrics'])
        for (const method of ['GET', 'OPTIONS']) {
          const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
          const answer = await fetch(product.baseUrl + path, { method, headers, redirect: 'manual' });
          await answer.body?.cancel();
          assert.equal(answer.headers.get('access-control-allow-origin'), null, `${method} ${path}`);
        }
    });

    test('the graph’s SDL is downloaded with a scope that reads, and with no other', async () => {
      const path = '/graphql/schema.graphql';
      const { status, headers, text } = await send('GET', path, operator.headers);
      assert.deepEqual([status, headers.get('content-type')], [200, 'application/graphql; charset=utf-8']);
      assert.ok(buildSchema(text).getQueryType()?.getFields().releases);
      assert.doesNotMatch(text, /join__|@federation/, 'the public interface, not how it is put together');
      assert.equal((await send('GET', path)).status, 401);
      assert.equal((await send('GET', path, puller.headers)).status, 403);
    });

    // spec: 9/openapi
    test('the authority serves OpenAPI 3.1.0 of version 0.1.0: seven operations, three of them deprecated', async () => {
      const { openapi, info, paths } = JSON.parse(await (await fetch(`${product.authUrl}/openapi.json`)).text());
      assert.deepEqual([openapi, info.version], ['3.1.0', '0.1.0']);
      const operations = Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(Object(item)).map(
          ([method, operation]) => `${method} ${path}${Object(operation).deprecated === true ? ' deprecated' : ''}`,
        ),
      );
      assert.deepEqual(operations.toSorted(), [
        'get /oauth/introspect',
        'post /introspect',
        'post /oauth/introspect deprecated',
        'post /oauth/revoke deprecated',
        'post /oauth/token deprecated',
        'post /revoke',
        'post /token',
      ]);
    });

    test('the authority’s document says of each operation how a client authenticates', async () => {
      const { paths, components } = JSON.parse(await (await fetch(`${product.authUrl}/openapi.json`)).text());
      const schemes = Object.keys(components.securitySchemes);
      const methodsOf = (path: string, method: string) =>
        paths[path][method].security.map((one: object) => Object.keys(one));
      for (const path of ['/token', '/revoke', '/oauth/token', '/oauth/revoke', '/introspect', '/oauth/introspect']) {
        assert.deepEqual(methodsOf(path, 'post'), [['clientBasic'], ['clientCertificate'], []], path);
        const { 'x-client-authentication': methods } = paths[path].post;
        assert.equal(methods.includes('none'), !path.includes('introspect'), path);
        assert.ok(methods.includes('client_secret_post'), path);
      }
      assert.deepEqual(paths['/oauth/introspect'].get.security, [], 'the key set is for anybody');
      for (const name of ['clientBasic', 'clientCertificate']) assert.ok(schemes.includes(name));
    });
  });
}
