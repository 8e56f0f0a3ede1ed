import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, exportJWK, jwtVerify, SignJWT } from 'jose';
import { type AuthorityApp, authorityApp, basic, CALLBACK } from '../testing/authority-app.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());

const clientToken = async (scope = 'orch:read') => {
  const { body } = await app.post(
    '/token',
    { grant_type: 'client_credentials', scope },
    { authorization: basic(app.clients.ci) },
  );
  return String(body.access_token);
};

/** Tokens of a fresh sign-in. */
const tokensOf = async (username: string, overrides: Record<string, string> = {}) => {
  const { body, status } = await app.exchange(await app.signIn(username, overrides));
  assert.equal(status, 200);
  return body;
};

// spec: 4.1/token, 5/bearer, 2.1/client-authentication, 2.1/form-bodies
test('a client gets an RFC 9068 token by Basic and by form fields', async () => {
  const { id, secret } = app.clients.ci;
  const form = { grant_type: 'client_credentials', scope: 'orch:read' };
  const byBasic = await app.post('/token', form, { authorization: basic(app.clients.ci) });
  const byForm = await app.post('/token', { ...form, client_id: id, client_secret: secret });
  for (const { status, headers, body } of [byBasic, byForm]) {
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope']);
    const token = String(body.access_token);
    const { kid, ...header } = decodeProtectedHeader(token);
    assert.deepEqual(header, { alg: 'ES256', typ: 'at+jwt' });
    assert.ok(kid);
    const { jti, ...claims } = decodeJwt(token);
    const iat = app.clock.now().getTime() / 1000;
    assert.ok(jti);
    assert.deepEqual(claims, {
      iss: app.origin,
      sub: id,
      aud: 'landfall',
      client_id: id,
      scope: 'orch:read',
      iat,
      exp: iat + 900,
      'svc:tenant': 'acme',
    });
  }
});

test('without scope a client gets what it holds, but nothing that only a person can use', async () => {
  const { body } = await app.post(
    '/token',
    { grant_type: 'client_credentials' },
    { authorization: basic(app.clients.ci) },
  );
  assert.equal(body.scope, 'orch:read orch:operate');
});

test('a scope that is not the client’s or only a person’s, and scopes of which none is known, are invalid_scope', async () => {
  for (const scope of ['nothing:known', 'orch:admin', 'offline_access', 'orch:read orch:admin nothing']) {
    const { status, body } = await app.post(
      '/token',
      { grant_type: 'client_credentials', scope },
      { authorization: basic(app.clients.ci) },
    );
    assert.equal(status, 400, scope);
    assert.equal(body.error, 'invalid_scope', scope);
  }
});

// spec: 5/client-required, 7.3/client-errors
test('every failure of client authentication is the same 401 with a Basic challenge, on every endpoint', async () => {
  const { id, secret } = app.clients.ci;
  const unknown = { id: '00000000-0000-7000-8000-0000000000ff', secret };
  const header = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const attempts: Record<string, string>[] = [
    {},
    { authorization: 'Basic ???' },
    header('no colon'),
    header(`${id}:%zz`),
    { authorization: basic({ id, secret: 'wrong' }) },
    { authorization: basic(unknown) },
    { authorization: basic({ id: 'no-uuid', secret }) },
    { authorization: `Bearer ${secret}` },
  ];
  for (const path of ['/token', '/introspect', '/revoke', '/oauth/token', '/oauth/introspect', '/oauth/revoke'])
    for (const headers of attempts) {
      const {
        status,
        headers: answered,
        body,
      } = await app.post(path, { grant_type: 'client_credentials', token: 'x' }, headers);
      assert.equal(status, 401, `${path} ${JSON.stringify(headers)}`);
      assert.equal(body.error, 'invalid_client');
      assert.match(answered.get('www-authenticate') ?? '', /^Basic realm=/);
      assert.equal(answered.get('cache-control'), 'no-store');
    }
});

test('a secret with reserved characters survives form-encoding inside Basic', async () => {
  const secret = `a b+c:d%e/${'é'.repeat(8)}-${'x'.repeat(24)}`;
  const id = await app.authority.bootstrap.ensureClient({
    tenant: 'acme',
    name: 'reserved',
    secret,
    grants: ['client_credentials'],
    scopes: ['orch:read'],
  });
  const { status } = await app.post(
    '/token',
    { grant_type: 'client_credentials' },
    { authorization: basic({ id, secret }) },
  );
  assert.equal(status, 200);
});

test('two ways of authenticating at once are refused', async () => {
  const { id, secret } = app.clients.ci;
  const authorization = basic(app.clients.ci);
  const both = await app.post('/token', { grant_type: 'client_credentials', client_secret: secret }, { authorization });
  assert.deepEqual([both.status, both.body.error], [400, 'invalid_request']);
  const same = await app.post('/token', { grant_type: 'client_credentials', client_id: id }, { authorization });
  assert.equal(same.status, 200);
  const other = await app.post(
    '/token',
    { grant_type: 'client_credentials', client_id: app.clients.console.id },
    { authorization },
  );
  assert.deepEqual([other.status, other.body.error], [400, 'invalid_request']);
});

test('two Authorization headers are refused, even when both are good', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(`${app.origin}/token`, { method: 'POST' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.setHeader('content-type', 'application/x-www-form-urlencoded');
    request.appendHeader('authorization', basic(app.clients.ci));
    request.appendHeader('authorization', basic(app.clients.ci));
    request.end('grant_type=client_credentials');
  });
  assert.equal(status, 400);
});

// spec: 7.3/form-errors
test('a malformed form, an absent or unknown grant and a parameter given twice are 400', async () => {
  const authorization = basic(app.clients.ci);
  const cases: [string, string][] = [
    ['', 'invalid_request'],
    ['grant_type=', 'invalid_request'],
    ['grant_type=a&grant_type=b', 'invalid_request'],
    ['grant_type=%00', 'invalid_request'],
    ['grant_type=implicit', 'unsupported_grant_type'],
    ['grant_type=password&username=ada&password=x', 'unauthorized_client'],
    ['grant_type=__proto__', 'unsupported_grant_type'],
    ['grant_type=authorization_code&code=x', 'unauthorized_client'],
    ['{"grant_type":"client_credentials"}', 'invalid_request'],
  ];
  for (const [body, error] of cases) {
    const answer = await app.post('/token', body, { authorization });
    assert.deepEqual([answer.status, answer.body.error], [400, error], body);
    assert.equal(typeof answer.body.error_description, 'string');
  }
});

test('JSON is no form: 415; a body past the limit is 413', async () => {
  const authorization = basic(app.clients.ci);
  const typed = await app.post('/token', '{}', { authorization, 'content-type': 'application/json' });
  assert.deepEqual([typed.status, typed.body.error], [415, 'invalid_request']);
  const large = await app.post('/token', `a=${'x'.repeat(70_000)}`, { authorization });
  assert.deepEqual([large.status, large.body.error], [413, 'invalid_request']);
});

// spec: 4.1/oauth-keys, 5/keys-open
test('the key set verifies tokens, has an ETag, and is no deprecated alias', async () => {
  for (const path of ['/oauth/introspect', '/jwks']) {
    const response = await fetch(app.origin + path);
    const body = await response.text();
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(response.headers.get('deprecation'), null);
    assert.match(
      body,
      /^\{"keys":\[\{"kty":"EC","crv":"P-256","x":"[\w-]{43}","y":"[\w-]{43}","kid":"[\w-]{43}","use":"sig","alg":"ES256"\}/,
    );
    assert.equal(body.includes('"d"'), false);
    const etag = response.headers.get('etag') ?? '';
    const repeated = await fetch(app.origin + path, { headers: { 'if-none-match': etag } });
    assert.deepEqual([repeated.status, await repeated.text()], [304, '']);
  }
  const { payload } = await jwtVerify(await clientToken(), createRemoteJWKSet(new URL(`${app.origin}/jwks`)), {
    issuer: app.origin,
    audience: 'landfall',
    typ: 'at+jwt',
    currentDate: app.clock.now(),
  });
  assert.equal(payload['svc:tenant'], 'acme');
});

// spec: 4.1/introspect, 5/introspection-permission
test('introspection tells a token’s claims to a client with the permission, in the specified order', async () => {
  const tokens = await tokensOf('ada');
  const claims = decodeJwt(String(tokens.access_token));
  const answer = await app.post(
    '/introspect',
    { token: String(tokens.access_token), token_type_hint: 'refresh_token' },
    { authorization: basic(app.clients.introspector) },
  );
  assert.equal(
    answer.text,
    JSON.stringify({
      active: true,
      scope: claims.scope,
      client_id: app.clients.console.id,
      token_type: 'Bearer',
      exp: claims.exp,
      iat: claims.iat,
      sub: app.people.ada,
      aud: 'landfall',
      iss: app.origin,
      jti: claims.jti,
      username: 'ada',
      'svc:tenant': 'acme',
    }),
  );
});

test('introspection without the permission is 401 unauthorized_client', async () => {
  const { status, headers, body } = await app.post(
    '/introspect',
    { token: await clientToken() },
    { authorization: basic(app.clients.ci) },
  );
  assert.deepEqual([status, body.error], [401, 'unauthorized_client']);
  assert.match(headers.get('www-authenticate') ?? '', /^Basic /);
});

test('garbage, another tenant’s, expired and refresh tokens are exactly {"active":false}', async () => {
  const token = await clientToken();
  const { refresh_token: refreshToken, id_token: idToken } = await tokensOf('ada');
  const inactive = { active: false };
  for (const candidate of ['garbage', `${token}=`, `${token}A`, refreshToken, idToken, 'x'.repeat(10_000)])
    assert.deepEqual(await app.introspect(candidate), inactive, String(candidate).slice(0, 40));
  assert.deepEqual(await app.introspect(token, app.clients.foreignIntrospector), inactive);
  assert.notDeepEqual(await app.introspect(token), inactive);
  await app.clock.advance(900_000);
  assert.deepEqual(await app.introspect(token), inactive);
});

test('a token that another key, no key or the public key as a secret signed is worth nothing anywhere', async () => {
  const token = await clientToken();
  const claims = decodeJwt(token);
  const { kid = '' } = decodeProtectedHeader(token);
  const [, body = ''] = token.split('.');
  const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = await exportJWK(attacker.publicKey);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (header: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header }).sign(attacker.privateKey);
  const { keys } = await app.authority.keys.jwks();
  const hmac = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${body}`;
  const forged = [
    `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.`,
    `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.AA`,
    ...keys.map((key) => `${hmac}.${createHmac('sha256', JSON.stringify(key)).update(hmac).digest('base64url')}`),
    await signed({ kid }),
    await signed({ jwk }),
    await signed({ kid, jwk }),
    await signed({ kid: 'attacker', jku: 'https://evil.example/jwks' }),
  ];
  for (const token of forged) {
    assert.deepEqual(await app.introspect(token), { active: false }, token.slice(0, 60));
    await assert.rejects(app.callerOf(token), { code: 'AUTH_TOKEN_INVALID' }, token.slice(0, 60));
  }
  assert.equal((await app.callerOf(token)).kind, 'client');
});

// spec: 4.1/revoke, 4.1/oauth-revoke
test('revocation of a known, an unknown and a revoked token is 200 without a body or a content type', async () => {
  const token = await clientToken();
  await app.callerOf(token);
  for (const path of ['/revoke', '/oauth/revoke'])
    for (const candidate of [token, token, 'unknown']) {
      const { status, headers, text } = await app.post(
        path,
        { token: candidate },
        { authorization: basic(app.clients.ci) },
      );
      assert.deepEqual([status, text], [200, '']);
      assert.equal(headers.get('content-length'), '0');
      assert.equal(headers.get('content-type'), null);
    }
  await assert.rejects(app.callerOf(token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.deepEqual(await app.introspect(token), { active: false });
  assert.ok((await app.events()).includes('accessToken.revoke'));
});

test('a client revokes only what was issued to it', async () => {
  const token = await clientToken();
  const { refresh_token: refreshToken } = await tokensOf('ada');
  for (const candidate of [token, String(refreshToken)]) {
    const { status, body } = await app.post(
      '/revoke',
      { token: candidate },
      { authorization: basic(app.clients.acmeApp) },
    );
    assert.deepEqual([status, body.error], [400, 'unauthorized_client']);
  }
  assert.equal((await app.introspect(token)).active, true);
  assert.equal((await app.refresh(refreshToken)).status, 200);
});

test('revoking a refresh token ends all that came of its sign-in', async () => {
  const first = await tokensOf('ada');
  const second = (await app.refresh(first.refresh_token)).body;
  const { status } = await app.post(
    '/revoke',
    { token: String(second.refresh_token) },
    { authorization: basic(app.clients.console) },
  );
  assert.equal(status, 200);
  assert.equal((await app.refresh(second.refresh_token)).body.error, 'invalid_grant');
  for (const { access_token: token } of [first, second])
    await assert.rejects(app.callerOf(token), { code: 'AUTH_TOKEN_REVOKED' });
});

// spec: 4.1/oauth-token, 4.1/oauth-introspect, 4.1/alias-headers, 9/alias-removal
test('a deprecated alias is its successor plus four headers, on errors too', async () => {
  const forms = [{ grant_type: 'client_credentials', scope: 'no' }, {}, { token: 'unknown' }];
  for (const successor of ['/token', '/introspect', '/revoke'])
    for (const form of forms)
      for (const authorization of [basic(app.clients.ci), basic(app.clients.introspector), 'Basic eA==']) {
        const now = await app.post(successor, form, { authorization });
        const old = await app.post(`/oauth${successor}`, form, { authorization });
        assert.deepEqual([old.status, old.text], [now.status, now.text]);
        assert.equal(old.headers.get('content-type'), now.headers.get('content-type'));
        assert.equal(old.headers.get('deprecation'), 'true');
        assert.equal(old.headers.get('sunset'), 'Fri, 01 May 2026 00:00:00 GMT');
        assert.equal(old.headers.get('link'), `<${successor}>; rel="successor-version"`);
        assert.equal(old.headers.get('warning'), `299 - "Deprecated API: use ${successor}"`);
        assert.equal(now.headers.get('deprecation'), null);
      }
});

test('a code is exchanged once: of eight at once one wins, and what it won is worth nothing', async () => {
  const signedIn = await app.signIn('ada');
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.exchange(signedIn)));
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.ok(answers.filter((answer) => answer !== won[0]).every(({ body }) => body.error === 'invalid_grant'));
  await assert.rejects(app.callerOf(won[0]?.body.access_token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.equal((await app.refresh(won[0]?.body.refresh_token)).body.error, 'invalid_grant');
  assert.equal((await app.events()).filter((type) => type === 'code.reuse').length, 1);
});

test('a code belongs to its client, its address, its verifier and its minute', async () => {
  const signedIn = await app.signIn('ada');
  const wrong = [
    await app.exchange(signedIn, app.clients.acmeApp),
    await app.exchange(signedIn, app.clients.console, { redirect_uri: 'https://app.example/other' }),
    await app.exchange({ ...signedIn, verifier: 'v'.repeat(43) }),
    await app.exchange({ ...signedIn, code: 'unknown' }),
  ];
  for (const { status, body } of wrong) assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  const short = await app.exchange({ ...signedIn, verifier: 'short' });
  assert.deepEqual([short.status, short.body.error], [400, 'invalid_request']);
  assert.equal((await app.exchange(signedIn)).status, 200, 'nothing of that used the code up');
  const delayed = await app.signIn('ada');
  await app.clock.advance(60_000);
  assert.equal((await app.exchange(delayed)).body.error, 'invalid_grant');
});

test('a refresh token is rotated: of eight at once one wins, then its family is revoked', async () => {
  const first = await tokensOf('ada');
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.refresh(first.refresh_token)));
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.notEqual(won[0]?.body.refresh_token, first.refresh_token);
  assert.equal((await app.refresh(won[0]?.body.refresh_token)).body.error, 'invalid_grant');
  for (const token of [first.access_token, won[0]?.body.access_token])
    await assert.rejects(app.callerOf(token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.ok((await app.events()).includes('refreshToken.reuse'));
});

test('a refresh token lives thirty days from its last use, and belongs to its client', async () => {
  const day = 86_400_000;
  const first = await tokensOf('ada');
  assert.equal((await app.refresh(first.refresh_token, app.clients.acmeApp)).body.error, 'invalid_grant');
  await app.clock.advance(29 * day);
  const second = (await app.refresh(first.refresh_token)).body;
  await app.clock.advance(29 * day);
  const third = (await app.refresh(second.refresh_token)).body;
  assert.equal(typeof third.access_token, 'string');
  await app.clock.advance(30 * day);
  assert.equal((await app.refresh(third.refresh_token)).body.error, 'invalid_grant');
});

test('a refresh may ask for fewer scopes and never for more; refusing leaves the token unused', async () => {
  const { refresh_token: token } = await tokensOf('ada', { scope: 'openid offline_access orch:read orch:approve' });
  const more = await app.refresh(token, app.clients.console, { scope: 'orch:read authority:admin' });
  assert.deepEqual([more.status, more.body.error], [400, 'invalid_scope']);
  const fewer = await app.refresh(token, app.clients.console, { scope: 'orch:read' });
  assert.deepEqual([fewer.status, fewer.body.scope], [200, 'orch:read']);
  const all = await app.refresh(fewer.body.refresh_token);
  assert.equal(all.body.scope, 'openid offline_access orch:read orch:approve');
});

test('a refresh gives nothing that the client has lost since the sign-in', async () => {
  const seed = {
    tenant: 'acme',
    name: 'shrinking',
    secret: 's'.repeat(43),
    grants: ['authorization_code' as const, 'refresh_token' as const],
    redirectUris: [CALLBACK],
  };
  const { ensureClient } = app.authority.bootstrap;
  const scopes = ['offline_access' as const, 'orch:read' as const, 'orch:approve' as const];
  const client = { id: await ensureClient({ ...seed, scopes }), secret: seed.secret };
  const started = await app.signIn('ada', { client_id: client.id, scope: scopes.join(' ') });
  const { body: first } = await app.exchange(started, client);
  assert.equal(first.scope, 'offline_access orch:read orch:approve');

  await ensureClient({ ...seed, scopes: ['offline_access', 'orch:read'] });
  const { body: second } = await app.refresh(first.refresh_token, client);
  assert.equal(second.scope, 'offline_access orch:read');
  assert.deepEqual((await app.callerOf(second.access_token)).scopes, new Set(['offline_access', 'orch:read']));
});

test('a person gets what roles, request and client have in common', async () => {
  const requestedScopes = 'openid offline_access orch:read orch:approve authority:admin';
  assert.equal((await tokensOf('ada', { scope: requestedScopes })).scope, requestedScopes);
  const viewer = await tokensOf('vic', { scope: requestedScopes });
  assert.equal(viewer.scope, 'openid offline_access orch:read');
  const caller = await app.callerOf(viewer.access_token);
  assert.deepEqual([caller.kind, caller.tenant, caller.subject], ['user', 'acme', app.people.vic]);
});

test('without offline_access there is no refresh token, without openid no ID token', async () => {
  const plain = await tokensOf('ada', { scope: 'orch:read' });
  assert.deepEqual(Object.keys(plain), ['access_token', 'token_type', 'expires_in', 'scope']);
});

test('metadata advertises what there is and nothing else', async () => {
  const [oauth, openid] = await Promise.all(
    ['oauth-authorization-server', 'openid-configuration'].map(async (name) => {
      const response = await fetch(`${app.origin}/.well-known/${name}`);
      const document: Readonly<Record<string, unknown>> = JSON.parse(await response.text());
      return document;
    }),
  );
  assert.ok(oauth);
  assert.deepEqual(oauth, openid);
  assert.equal(oauth.issuer, app.origin);
  assert.deepEqual(oauth.grant_types_supported, [
    'authorization_code',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
    'password',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:token-exchange',
  ]);
  for (const [name, url] of Object.entries(oauth)) {
    if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
    const method = /token|introspection|revocation|authorization_request|device/.test(name) ? 'POST' : 'GET';
    assert.notEqual((await fetch(String(url), { method, redirect: 'manual' })).status, 404, name);
  }
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
