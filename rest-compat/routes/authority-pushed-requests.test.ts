import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { integer } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type AuthorityApp, authorityApp, basic, CALLBACK, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar } from '../testing/browser.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());
beforeEach(() => app.clock.advance(3_700_000));

const { verifier, challenge } = pkce();
const URN = 'urn:ietf:params:oauth:request_uri:';

type Client = { readonly id: string; readonly secret: string };

const request = (overrides: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid orch:read',
  state: 'pushed',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  ...overrides,
});

const push = (overrides: Readonly<Record<string, string>> = {}, as: Client = app.clients.acmeApp) =>
  app.post('/par', request(overrides), { authorization: basic(as) });

const pushed = async (overrides: Readonly<Record<string, string>> = {}, as: Client = app.clients.acmeApp) => {
  const { body } = await push(overrides, as);
  return String(body.request_uri);
};

const open = (uri: string, jar = cookieJar(), as: Client = app.clients.acmeApp) =>
  app.get(`/authorize?${new URLSearchParams({ client_id: as.id, request_uri: uri })}`, jar);

const back = (response: Response): Record<string, string> =>
  Object.fromEntries(new URL(response.headers.get('location') ?? 'missing:').searchParams);

test('a pushed request is answered 201 with a name that says nothing, for 90 seconds', async () => {
  const { status, headers, body } = await push();
  assert.equal(status, 201);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(String(body.request_uri), /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
  assert.deepEqual(Object.keys(body), ['request_uri', 'expires_in']);
  assert.equal(body.expires_in, 90);
});

test('it leads through sign-in to a code, and the address shows nothing else on the way', async () => {
  const jar = cookieJar();
  const uri = await pushed();
  const page = await (await open(uri, jar)).text();
  assert.equal(page.includes(challenge), false);
  const repeated = await open(uri, jar);
  assert.equal(repeated.status, 200, 'the same browser may reload its page');
  const answer = back(await app.submit(page, jar, { username: 'ada', password: PASSWORD }));
  assert.equal(answer.state, 'pushed');
  const { status } = await app.exchange({ code: answer.code ?? '', verifier }, app.clients.acmeApp);
  assert.equal(status, 200);
  const used = await open(uri, jar);
  assert.deepEqual([used.status, used.headers.get('location')], [400, null]);
});

test('who comes second, from another browser, finds nothing', async () => {
  const uri = await pushed();
  assert.equal((await open(uri)).status, 200);
  const other = await open(uri);
  assert.deepEqual([other.status, other.headers.get('location')], [400, null]);
});

test('of eight browsers at once exactly one opens it', async () => {
  const uri = await pushed();
  const answers = await Promise.all(Array.from({ length: 8 }, () => open(uri)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 7 }, () => 400)]);
});

test('of eight answers at once in one browser exactly one has a code', async () => {
  const { jar } = await app.signIn('ada');
  const page = await open(await pushed({ prompt: 'select_account' }), jar).then((page) => page.text());
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.submit(page, jar, { via: 'session' })));
  assert.equal(answers.filter(({ status }) => status === 303).length, 1);
});

test('after 90 seconds nobody opens it; whoever did may take their time', async () => {
  const [delayed, used] = [await pushed(), await pushed()];
  const jar = cookieJar();
  const page = await (await open(used, jar)).text();
  await app.clock.advance(90_001);
  assert.equal((await open(delayed)).status, 400);
  assert.ok('code' in back(await app.submit(page, jar, { username: 'ada', password: PASSWORD })));
});

test('it is bound to its client: another client’s id, or an invented name, finds nothing', async () => {
  const uri = await pushed();
  for (const [name, as] of [
    [uri, app.clients.console],
    [`${URN}${'x'.repeat(43)}`, app.clients.acmeApp],
    [URN, app.clients.acmeApp],
  ] as const) {
    const answer = await open(name, cookieJar(), as);
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null]);
  }
});

test('what stands in the address beside it is not read (RFC 9126 4)', async () => {
  const { jar } = await app.signIn('ada');
  const query = new URLSearchParams({
    client_id: app.clients.acmeApp.id,
    request_uri: await pushed(),
    redirect_uri: 'https://evil.example/',
    state: 'other',
  });
  const answer = await app.get(`/authorize?${query}`, jar);
  assert.equal(new URL(answer.headers.get('location') ?? '').origin, 'https://app.example');
  assert.equal(back(answer).state, 'pushed');
});

test('a request that would be refused is refused where it is pushed, to the client itself', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ redirect_uri: 'https://evil.example/' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'scanner:write' }, 'invalid_scope'],
    [{ resource: 'https://other.example/' }, 'invalid_target'],
    [{ request_uri: `${URN}x` }, 'invalid_request'],
    [{ request: 'eyJ' }, 'invalid_request'],
    [{ prompt: 'none login' }, 'invalid_request'],
  ];
  for (const [parameters, error] of cases) {
    const { status, body } = await push(parameters);
    assert.deepEqual([status, body.error], [400, error], JSON.stringify(parameters));
  }
  const unrelated = await push({}, { id: app.clients.acmeApp.id, secret: 'wrong' });
  assert.deepEqual([unrelated.status, unrelated.body.error], [401, 'invalid_client']);
});

test('a refusal is an answer, too: the request is spent', async () => {
  const { jar } = await app.signIn('ada');
  const uri = await pushed({ prompt: 'consent' });
  const request = await open(uri, jar);
  const page = await (await app.get(request.headers.get('location') ?? 'missing:', jar)).text();
  assert.equal(back(await app.submit(page, jar, { decision: 'deny' })).error, 'access_denied');
  assert.equal((await open(uri, jar)).status, 400);
});

/** A DPoP proof for /par (RFC 9449 10.1), and the thumbprint of its key. */
const proofOf = async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const proof = (path: string) =>
    new SignJWT({
      jti: crypto.randomUUID(),
      htm: 'POST',
      htu: `${app.origin}${path}`,
      iat: app.clock.now().getTime() / 1000,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .sign(privateKey);
  return { proof, jkt: await calculateJwkThumbprint(jwk) };
};

test('a proof that comes along binds the code to its key, and to no other', async () => {
  const [own, other] = [await proofOf(), await proofOf()];
  const authorization = basic(app.clients.acmeApp);
  const mismatch = await app.post('/par', request({ dpop_jkt: other.jkt }), {
    authorization,
    dpop: await own.proof('/par'),
  });
  assert.deepEqual([mismatch.status, mismatch.body.error], [400, 'invalid_dpop_proof']);
  const codeFor = async () => {
    const { body } = await app.post('/par', request(), { authorization, dpop: await own.proof('/par') });
    const { jar } = await app.signIn('ada');
    return back(await open(String(body.request_uri), jar)).code ?? '';
  };
  const redeem = async (code: string, headers: Readonly<Record<string, string>>) =>
    (
      await app.post(
        '/token',
        { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier },
        { authorization, ...headers },
      )
    ).status;
  assert.equal(await redeem(await codeFor(), {}), 400);
  assert.equal(await redeem(await codeFor(), { dpop: await other.proof('/token') }), 400);
  assert.equal(await redeem(await codeFor(), { dpop: await own.proof('/token') }), 200);
});

test('a client that must push is refused a plain request', async () => {
  await app.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update authority.clients set requires_par = true where id = ${app.clients.acmeApp.id}`),
  );
  const plain = await app.get(app.authorizeUrl({ code_challenge: challenge, client_id: app.clients.acmeApp.id }));
  assert.equal(back(plain).error, 'invalid_request');
  assert.equal((await open(await pushed())).status, 200);
});

test('only the hash of its name and no secret of the client is kept, and housekeeping forgets it', async () => {
  const uri = await pushed({ client_secret: '' });
  const counts = table('counts', { found: integer, rows: integer });
  const count = () =>
    app.deps.database.system.read((query) =>
      query.get(
        counts,
        sql`select (count(*) filter (where r::text like any(${[`%${uri.slice(URN.length)}%`, `%${app.clients.acmeApp.secret}%`]})))::integer as found,
          count(*)::integer as rows from authority.pushed_requests r`,
      ),
    );
  assert.equal((await count()).found, 0);
  assert.ok((await count()).rows > 0);
  await app.clock.advance(86_400_000);
  await app.authority.housekeeping.run();
  assert.equal((await count()).rows, 0);
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
