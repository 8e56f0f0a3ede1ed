import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { type AuthorityApp, authorityApp, CALLBACK, PASSWORD } from '../testing/authority-app.ts';
import { cookieJar } from '../testing/browser.ts';

// A client library that shares no code with the authority, and relies on nothing beyond the standards.

let app: AuthorityApp;
let server: oauth.AuthorizationServer;
const http = { [oauth.allowInsecureRequests]: true };

before(async () => {
  app = await authorityApp();
  const issuer = new URL(app.origin);
  const response = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' });
  server = await oauth.processDiscoveryResponse(issuer, response);
});
after(() => app[Symbol.asyncDispose]());

/** The client as the library knows it; the database's clock of tests stands still elsewhere than the machine's. */
const clientOf = ({ id }: { readonly id: string }): oauth.Client => ({
  client_id: id,
  [oauth.clockSkew]: Math.round((app.clock.now().getTime() - Date.now()) / 1000),
});

test('both discovery documents are valid for their issuer', async () => {
  const issuer = new URL(app.origin);
  const response = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oidc' });
  assert.equal((await oauth.processDiscoveryResponse(issuer, response)).issuer, app.origin);
});

// spec: 1/grants
test('code with PKCE, ID token, refresh, introspection and revocation by an independent client', async () => {
  const client = clientOf(app.clients.console);
  const auth = oauth.ClientSecretBasic(app.clients.console.secret);
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const url = app.authorizeUrl({ state, nonce, code_challenge: await oauth.calculatePKCECodeChallenge(verifier) });
  const jar = cookieJar();
  const page = await (await app.get(url, jar)).text();
  const answered = await app.submit(page, jar, { username: 'ada', password: PASSWORD });
  const callback = oauth.validateAuthResponse(server, client, new URL(answered.headers.get('location') ?? ''), state);

  const response = await oauth.authorizationCodeGrantRequest(server, client, auth, callback, CALLBACK, verifier, http);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, http);
  assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, app.people.ada);

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? '', http),
  );
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, auth, refreshed.refresh_token ?? '', http),
  );
  const asking = clientOf(app.clients.introspector);
  const introspection = await oauth.processIntrospectionResponse(
    server,
    asking,
    await oauth.introspectionRequest(
      server,
      asking,
      oauth.ClientSecretPost(app.clients.introspector.secret),
      refreshed.access_token,
      http,
    ),
  );
  assert.deepEqual(introspection, { active: false });
});

// spec: 1/grants
test('client credentials by an independent client, whose token a resource server validates as RFC 9068 says', async () => {
  const client = clientOf(app.clients.ci);
  const auth = oauth.ClientSecretBasic(app.clients.ci.secret);
  const response = await oauth.clientCredentialsGrantRequest(server, client, auth, { scope: 'orch:read' }, http);
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, response);
  const request = new Request('https://api.example/', { headers: { authorization: `Bearer ${token}` } });
  const claims = await oauth.validateJwtAccessToken(server, request, 'landfall', {
    ...http,
    [oauth.clockSkew]: client[oauth.clockSkew] ?? 0,
  });
  assert.deepEqual([claims.sub, claims.scope, claims['svc:tenant']], [app.clients.ci.id, 'orch:read', 'acme']);
});
