import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthenticator } from '@landfall/authority/testing/authenticator';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { type AuthorityApp, authorityApp, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

const ceremony = Type.Object({
  options: Type.Object({ challenge: Type.String(), user: Type.Optional(Type.Object({ id: Type.String() })) }),
  ticket: Type.String(),
});
const UNKNOWN = 'That passkey is not known here. Sign in with your password, or with another passkey.';

const appWithHostName = () => authorityApp({ host: 'localhost' });
type Jar = ReturnType<typeof cookieJar>;

const post = async (app: AuthorityApp, jar: Jar, path: string, form: Readonly<Record<string, string>>) => {
  const response = await fetch(app.origin + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: jar.header(), 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(form)),
  });
  jar.storeCookies(response);
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
};

const textOf = async (app: AuthorityApp, jar: Jar, path: string): Promise<string> => (await app.get(path, jar)).text();

const signedIn = async (app: AuthorityApp, username: string) => {
  const jar = cookieJar();
  const csrf = hidden(await textOf(app, jar, '/sign-in?to=account'), 'csrf');
  assert.equal((await post(app, jar, '/sign-in?to=account', { csrf, username, password: PASSWORD })).status, 303);
  return jar;
};

const registered = async (app: AuthorityApp, username: string) => {
  const jar = await signedIn(app, username);
  const device = createAuthenticator({ origin: app.origin, rpId: 'localhost' });
  const request = Parse(ceremony, JSON.parse(await textOf(app, jar, '/account/passkeys/options?name=Laptop')));
  const { challenge, user = { id: '' } } = request.options;
  const added = await post(app, jar, '/account/passkeys', {
    csrf: hidden(await textOf(app, jar, '/account/passkeys'), 'csrf'),
    do: 'add',
    passkey: device.create({ challenge, user }),
    passkey_ticket: request.ticket,
  });
  assert.equal(added.location, '/account/passkeys?done=added', added.text);
  return { jar, device };
};
type Device = Awaited<ReturnType<typeof registered>>['device'];

/** Acts as the button of the sign-in page. */
const byPasskey = async (app: AuthorityApp, device: Device, page = '/sign-in?to=account') => {
  const jar = cookieJar();
  const pageText = await textOf(app, jar, page);
  const { options, ticket } = Parse(ceremony, JSON.parse(await textOf(app, jar, '/passkey/options')));
  const action = page.replace(/^.*\?/, '/sign-in?');
  const form = { csrf: hidden(pageText, 'csrf'), passkey: device.get(options), passkey_ticket: ticket };
  return { jar, form, ...(await post(app, jar, action, form)), again: () => post(app, jar, action, form) };
};

test('a passkey signs in at the account and at a client, counts as two factors and is spent by its use', async () => {
  await using app = await appWithHostName();
  const { device } = await registered(app, 'vic');
  const first = await byPasskey(app, device);
  assert.deepEqual([first.status, first.location], [303, '/account']);
  const repeated = await first.again();
  assert.deepEqual([repeated.status, repeated.text.includes(UNKNOWN)], [400, true]);

  const { verifier, challenge } = pkce();
  const { location } = await byPasskey(app, device, app.authorizeUrl({ code_challenge: challenge }));
  const code = new URL(location ?? 'missing:').searchParams.get('code') ?? '';
  const { body } = await app.exchange({ code, verifier });
  const [, claims = ''] = String(body.id_token).split('.');
  assert.deepEqual(JSON.parse(Buffer.from(claims, 'base64url').toString()).amr, ['hwk', 'user', 'mfa']);
});

test('another browser’s form, another tenant’s client and a stopped person are told the same', async () => {
  await using app = await appWithHostName();
  const [vic, gil] = [await registered(app, 'vic'), await registered(app, 'gil')];
  const stolen = await byPasskey(app, vic.device);
  const other = await post(app, cookieJar(), '/sign-in?to=account', stolen.form);
  assert.equal(other.status, 403);

  const acmeOnly = app.authorizeUrl({ client_id: app.clients.acmeApp.id, code_challenge: pkce().challenge });
  const unknown = await byPasskey(app, gil.device, acmeOnly);
  const acme = toTenantId('acme');
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`update authority.users set active = false where tenant = ${acme} and username = 'vic'`),
  );
  const stopped = await byPasskey(app, vic.device);
  for (const { status, text } of [unknown, stopped])
    assert.deepEqual(
      [status, text.includes(UNKNOWN), text.includes('of acme'), text.includes('of globex')],
      [400, true, false, false],
    );
  assert.deepEqual(app.bugs, []);
});

test('a registration begins and ends with a fresh sign-in only', async () => {
  await using app = await appWithHostName();
  assert.equal((await app.get('/account/passkeys/options?name=x')).status, 403);
  const jar = await signedIn(app, 'vic');
  assert.equal((await app.get('/account/passkeys/options?name=', jar)).status, 400);
  await app.clock.advance(901_000);
  assert.equal((await app.get('/account/passkeys/options?name=x', jar)).status, 403);
  const csrf = hidden(await textOf(app, jar, '/end-session'), 'csrf');
  const delayed = await post(app, jar, '/account/passkeys', { csrf, do: 'add', passkey: '{}', passkey_ticket: 'x' });
  assert.equal(delayed.location, '/sign-in?to=account&page=passkeys');
});

test('a passkey is renamed and removed by its person alone', async () => {
  await using app = await appWithHostName();
  const [vic, gil] = [await registered(app, 'vic'), await registered(app, 'gil')];
  const page = await textOf(app, vic.jar, '/account/passkeys');
  const [id, csrf] = [hidden(page, 'id'), hidden(page, 'csrf')];
  const other = hidden(await textOf(app, gil.jar, '/account/passkeys'), 'csrf');
  for (const name of ['rename', 'remove']) {
    const form = { do: name, id, name: 'Mine' };
    assert.equal((await post(app, gil.jar, '/account/passkeys', { csrf: other, ...form })).status, 404);
    assert.equal((await post(app, vic.jar, '/account/passkeys', { csrf, ...form })).status, 303);
  }
  const { status, text } = await byPasskey(app, vic.device);
  assert.deepEqual([status, text.includes(UNKNOWN)], [400, true]);
  const events = await app.events();
  assert.deepEqual(
    events.filter((type) => type.startsWith('passkey.')),
    ['passkey.add', 'passkey.rename', 'passkey.remove'],
  );
});
