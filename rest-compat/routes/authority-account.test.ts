import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { Secret, TOTP } from 'otpauth';
import { type AuthorityApp, authorityApp, CALLBACK, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

const OTHER_PASSWORD = 'an entirely different phrase';
const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

/** A browser at the account pages. */
const browserOf = (app: AuthorityApp) => {
  const jar = cookieJar();
  const open = async (path: string) => {
    const response = await app.get(path, jar);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const send = async (path: string, form: Readonly<Record<string, string>>) => {
    const response = await fetch(app.origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: jar.header(), 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(form)),
    });
    jar.storeCookies(response);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  /** Sends a form of the current page. */
  const fill = async (path: string, form: Readonly<Record<string, string>>) =>
    send(path, { csrf: hidden((await open(path)).text, 'csrf') || csrfOf(await open('/end-session')), ...form });
  const csrfOf = ({ text }: { readonly text: string }): string => hidden(text, 'csrf');
  const signIn = async (username: string, password = PASSWORD, page = 'to=account') => {
    const csrf = csrfOf(await open(`/sign-in?${page}`));
    return send(`/sign-in?${page}`, { csrf, username, password });
  };
  return { jar, open, send, fill, signIn };
};

const signedIn = async (app: AuthorityApp, username = 'vic') => {
  const browser = browserOf(app);
  assert.equal((await browser.signIn(username)).status, 303);
  return browser;
};

const location = ({ headers }: { readonly headers: Headers }): string | null => headers.get('location');

const codeOf = (app: AuthorityApp, page: string, later = 0): string => {
  const code = /class="secret"[^>]*>([^<]*)</.exec(page)?.[1] ?? '';
  const secret = Secret.fromBase32(code.replaceAll(' ', ''));
  return TOTP.generate({ secret, timestamp: app.clock.now().getTime() + later * STEP_MS });
};

const enrolled = async (app: AuthorityApp, browser: Awaited<ReturnType<typeof signedIn>>) => {
  const setUp = await browser.fill('/account/second-factor', { do: 'begin' });
  const on = await browser.send('/account/second-factor', {
    csrf: hidden(setUp.text, 'csrf'),
    do: 'confirm',
    code: codeOf(app, setUp.text),
  });
  const codes = [...on.text.matchAll(/<li>([0-9a-z-]{19})<\/li>/g)].map(([, code]) => code ?? '');
  await app.clock.advance(STEP_MS);
  return { setUp, on, codes };
};

test('nobody sees an account without signing in, and comes back to the page that they wanted', async () => {
  await using app = await authorityApp();
  const browser = browserOf(app);
  assert.equal(location(await browser.open('/account')), '/sign-in?to=account');
  assert.equal(location(await browser.open('/account/passkeys')), '/sign-in?to=account&page=passkeys');
  assert.equal(location(await browser.signIn('vic', PASSWORD, 'to=account&page=passkeys')), '/account/passkeys');
  const { status, text, headers } = await browser.open('/account/passkeys');
  assert.equal(status, 200);
  assert.match(text, /vic of acme \(vic\)/);
  assert.match(
    headers.get('content-security-policy') ?? '',
    /default-src 'none';.*form-action 'self';.*frame-ancestors 'none'/,
  );
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('nobody is sent anywhere but to a page of the account', async () => {
  await using app = await authorityApp();
  for (const page of [
    '//evil.example',
    'https://evil.example',
    '../device',
    'passkeys%0d%0aset-cookie:x',
    'a'.repeat(500),
  ])
    assert.equal(location(await browserOf(app).signIn('vic', PASSWORD, `to=account&page=${page}`)), '/account', page);
});

test('every page of the account is there, without a script but for passkeys', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  for (const path of ['', '/password', '/second-factor', '/passkeys', '/sessions', '/applications']) {
    const { status, text, headers } = await browser.open(`/account${path}`);
    assert.equal(status, 200, path);
    assert.equal(text.match(/aria-current="page"/g)?.length, 1, path);
    const isPasskeys = path === '/passkeys';
    assert.equal(text.includes('<script'), isPasskeys, path);
    assert.equal(headers.get('content-security-policy')?.includes("script-src 'self'; connect-src 'self'"), isPasskeys);
  }
});

test('a change needs a form of ours and a sign-in of the last 15 minutes', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const change = { present: PASSWORD, next: OTHER_PASSWORD, again: OTHER_PASSWORD };
  assert.equal((await browser.send('/account/password', change)).status, 403);
  assert.equal((await browser.send('/account/password', { ...change, csrf: 'x'.repeat(43) })).status, 403);
  const csrf = hidden((await browser.open('/account/password')).text, 'csrf');
  await app.clock.advance(16 * MINUTE_MS);
  const page = await browser.open('/account/password');
  assert.match(page.text, /You signed in more than 15 minutes ago/);
  assert.equal(page.text.includes('name="present"'), false);
  assert.equal(
    location(await browser.send('/account/password', { ...change, csrf })),
    '/sign-in?to=account&page=password',
  );
  assert.equal((await browserOf(app).signIn('vic')).status, 303, 'the password is as it was');
});

test('a changed password opens the account, the old one nothing, and every other sign-in has ended', async () => {
  await using app = await authorityApp();
  const [own, other] = [await signedIn(app), await signedIn(app)];
  const tokens = await app.exchange(await app.signIn('vic'));
  assert.equal(tokens.status, 200);
  const answer = await own.fill('/account/password', {
    present: PASSWORD,
    next: OTHER_PASSWORD,
    again: OTHER_PASSWORD,
  });
  assert.equal(location(answer), '/account/password?done=changed');
  assert.match((await own.open('/account/password?done=changed')).text, /Your password is changed/);
  assert.equal((await other.open('/account')).status, 303);
  assert.equal((await app.refresh(tokens.body.refresh_token)).status, 400);
  await assert.rejects(app.callerOf(tokens.body.access_token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.equal((await browserOf(app).signIn('vic')).status, 400);
  assert.equal((await browserOf(app).signIn('vic', OTHER_PASSWORD)).status, 303);
  assert.ok((await app.events()).includes('user.changePassword'));
});

test('a password is changed only by who knows it, to one that may be taken; guesses must wait', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const attempts: readonly (readonly [form: Record<string, string>, words: RegExp])[] = [
    [{ present: 'wrong', next: OTHER_PASSWORD, again: OTHER_PASSWORD }, /present password is wrong/],
    [{ present: PASSWORD, next: 'short', again: 'short' }, /at least 12 characters/],
    [{ present: PASSWORD, next: OTHER_PASSWORD, again: `${OTHER_PASSWORD}!` }, /repetition differ/],
    [{ present: PASSWORD, next: PASSWORD, again: PASSWORD }, /is the present one/],
  ];
  for (const [form, message] of attempts) {
    const { status, text } = await browser.fill('/account/password', form);
    assert.deepEqual([status, message.test(text)], [400, true], String(message));
    assert.equal(text.includes(form.next ?? ''), false, 'what was typed is not repeated');
  }
  const attempt = { present: 'wrong', next: OTHER_PASSWORD, again: OTHER_PASSWORD };
  const answers = await Promise.all(Array.from({ length: 8 }, () => browser.fill('/account/password', attempt)));
  const delayed = answers.find(({ status }) => status === 429);
  assert.ok(Number(delayed?.headers.get('retry-after')) > 0);
});

test('a second factor is set up by a code, signs in by a code once, and by a recovery code once', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const { setUp, on, codes } = await enrolled(app, browser);
  assert.match(setUp.text, /<svg class="qr" role="img" aria-label="[^"]+"/);
  assert.equal(setUp.headers.get('cache-control'), 'no-store');
  assert.equal(codes.length, 10);
  assert.match(on.text, /not shown again/);
  assert.equal((await browser.open('/account/second-factor')).text.includes(codes[0] ?? ''), false);

  const withCode = async (code: string) => {
    const fresh = browserOf(app);
    const halfSignedIn = await fresh.signIn('vic');
    assert.equal(location(halfSignedIn), '/sign-in/second-factor?to=account');
    assert.equal((await fresh.open('/account')).status, 303, 'a password alone is not enough');
    return fresh.fill('/sign-in/second-factor?to=account', { code });
  };
  const code = codeOf(app, setUp.text);
  assert.equal(location(await withCode(code)), '/account');
  assert.equal((await withCode(code)).status, 400);
  assert.equal(location(await withCode(codes[3] ?? '')), '/account');
  assert.equal((await withCode(codes[3] ?? '')).status, 400);
  assert.match((await browser.open('/account')).text, /On, with 9 recovery codes left/);
});

test('a wrong first code keeps the secret that was scanned, and a new set-up makes a new one', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const secretIn = (page: string) => /class="secret"[^>]*>([^<]*)</.exec(page)?.[1];
  const first = await browser.fill('/account/second-factor', { do: 'begin' });
  const wrong = await browser.fill('/account/second-factor', { do: 'confirm', code: '000000' });
  assert.equal(wrong.status, 400);
  assert.ok(secretIn(first.text));
  assert.equal(secretIn(wrong.text), secretIn(first.text));
  const repeated = await browser.fill('/account/second-factor', { do: 'begin' });
  assert.notEqual(secretIn(repeated.text), secretIn(first.text));
});

test('the second factor is turned off by a fresh sign-in, or with a code', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  await enrolled(app, browser);
  assert.equal(
    location(await browser.fill('/account/second-factor', { do: 'disable' })),
    '/account/second-factor?done=off',
  );
  const { setUp } = await enrolled(app, browser);
  await app.clock.advance(16 * MINUTE_MS);
  const csrf = hidden((await browser.open('/account/second-factor')).text, 'csrf');
  const send = (form: Record<string, string>) => browser.send('/account/second-factor', { csrf, ...form });
  assert.match(location(await send({ do: 'disable' })) ?? '', /^\/sign-in\?/);
  assert.match(location(await send({ do: 'renew' })) ?? '', /^\/sign-in\?/);
  assert.equal((await send({ do: 'disable', code: '000000' })).status, 400);
  assert.equal(
    location(await send({ do: 'disable', code: codeOf(app, setUp.text) })),
    '/account/second-factor?done=off',
  );
  assert.equal(location(await browserOf(app).signIn('vic')), '/account');
});

test('sign-ins are seen and ended, one by one or all others, and nobody else’s', async () => {
  await using app = await authorityApp();
  const [own, second, third, other] = [
    await signedIn(app),
    await signedIn(app),
    await signedIn(app),
    await signedIn(app, 'gil'),
  ];
  const page = (await own.open('/account/sessions')).text;
  assert.equal(page.match(/this one/g)?.length, 1);
  const ids = [...page.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id ?? '');
  assert.equal(ids.length, 2);
  assert.equal((await other.fill('/account/sessions', { do: 'end', id: ids[0] ?? '' })).status, 404);
  assert.equal(
    location(await own.fill('/account/sessions', { do: 'end', id: ids[0] ?? '' })),
    '/account/sessions?done=ended',
  );
  const alive = async () =>
    (await Promise.all([second, third].map((browser) => browser.open('/account')))).filter(
      ({ status }) => status === 200,
    );
  assert.equal((await alive()).length, 1);
  assert.equal((await own.fill('/account/sessions', { do: 'end-others' })).status, 303);
  assert.equal((await alive()).length, 0);
  assert.deepEqual([(await own.open('/account')).status, (await other.open('/account')).status], [200, 200]);
});

test('what an application was allowed is seen and taken back, with every token that came of it', async () => {
  await using app = await authorityApp();
  const secret = 's'.repeat(43);
  const id = await app.authority.bootstrap.ensureClient({
    tenant: 'acme',
    name: 'Dashboard',
    secret,
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: [CALLBACK],
    scopes: ['openid', 'offline_access', 'orch:read'],
    requiresConsent: true,
  });
  const browser = await signedIn(app);
  assert.match((await browser.open('/account/applications')).text, /You have allowed no application/);
  const { verifier, challenge } = pkce();
  const consent = await browser.open(
    app.authorizeUrl({ client_id: id, scope: 'openid offline_access orch:read', code_challenge: challenge }),
  );
  const page = location(consent) ?? '';
  const allowed = await browser.fill(page, { decision: 'allow', shown: 'openid offline_access orch:read' });
  const code = new URL(location(allowed) ?? 'missing:').searchParams.get('code') ?? '';
  const tokens = await app.exchange({ code, verifier }, { id, secret });
  assert.equal(tokens.status, 200);

  const pageText = (await browser.open('/account/applications')).text;
  assert.match(pageText, /Dashboard.*See releases, environments and deployments/s);
  const unrelated = await signedIn(app, 'gil');
  assert.equal((await unrelated.fill('/account/applications', { do: 'revoke', client: id })).status, 404);
  const revoked = await browser.fill('/account/applications', { do: 'revoke', client: id });
  assert.equal(location(revoked), '/account/applications?done=revoked');
  assert.equal((await app.refresh(tokens.body.refresh_token, { id, secret })).status, 400);
  await assert.rejects(app.callerOf(tokens.body.access_token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.ok((await app.events()).includes('consent.revoke'));
});

test('the authority’s address alone leads to the account, and the account to the console', async () => {
  await using app = await authorityApp();
  assert.equal(location(await browserOf(app).open('/')), '/account');
  const browser = await signedIn(app);
  assert.match((await browser.open('/account')).text, /<a href="http[^"]+\/">Open the console<\/a>/);
});

test('to end all other sign-ins ends what applications hold, too', async () => {
  await using app = await authorityApp();
  const stolen = await app.signIn('vic');
  const { body } = await app.exchange(stolen);
  const own = await signedIn(app);
  assert.equal((await own.fill('/account/sessions', { do: 'end-others' })).status, 303);
  assert.equal((await app.refresh(body.refresh_token)).status, 400);
  await assert.rejects(app.callerOf(body.access_token), { code: 'AUTH_TOKEN_REVOKED' });
});

test('a new password voids a link that was sent before', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const acme = toTenantId('acme');
  const pending = () =>
    app.deps.database.write(acme, (tx) =>
      tx.run(sql`update authority.account_links set expires_at = expires_at where user_id = ${app.people.vic}`),
    );
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`insert into authority.account_links (tenant, hash, user_id, purpose, expires_at)
      values ('acme', ${Buffer.alloc(32, 1)}, ${app.people.vic}, 'invitation', kernel.now() + interval '1 hour')`),
  );
  assert.equal(await pending(), 1);
  const form = { present: PASSWORD, next: OTHER_PASSWORD, again: OTHER_PASSWORD };
  assert.equal((await browser.fill('/account/password', form)).status, 303);
  assert.equal(await pending(), 0);
});

test('without a name for its host the authority says why there are no passkeys, and offers none', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const { text } = await browser.open('/account/passkeys');
  assert.match(text, /reached by an IP address \(127\.0\.0\.1\).*LANDFALL_AUTH_URL=http:\/\/localhost:4001/);
  assert.equal(text.includes('id="passkey-add"'), false);
  assert.equal((await browser.open('/account/passkeys/options?name=x')).status, 409);
  assert.equal((await browser.open('/passkey/options')).status, 409);
  assert.equal((await browserOf(app).open('/sign-in?to=account')).text.includes('id="passkey"'), false);
});

test('the script has a strict type and may be kept for an hour', async () => {
  await using app = await authorityApp();
  const { status, headers, text } = await browserOf(app).open('/passkey.js');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'public, max-age=3600');
  assert.match(text, /parseCreationOptionsFromJSON/);
});

test('what no form of ours sends is an answer in words, never a failure of ours', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const csrf = hidden((await browser.open('/account/password')).text, 'csrf');
  const sections = ['password', 'second-factor', 'passkeys', 'sessions', 'applications'];
  const forms = [
    {},
    { do: 'nothing' },
    { do: 'end', id: 'x' },
    { do: 'rename', id: 'x', name: '' },
    { do: 'remove', id: '00000000-0000-7000-8000-000000000000' },
    { do: 'revoke', client: '00000000-0000-7000-8000-000000000000' },
    { do: 'confirm', code: '9'.repeat(5_000) },
    { do: 'add', passkey: '{', passkey_ticket: 'x' },
    { present: 'x'.repeat(10_000), next: 'a\0b', again: '' },
  ];
  for (const section of sections)
    for (const form of forms) {
      const { status } = await browser.send(`/account/${section}`, { csrf, ...form });
      assert.ok([400, 404, 409, 429].includes(status), `${section} ${JSON.stringify(form).slice(0, 60)} ${status}`);
    }
  assert.equal((await browser.open('/account/sessions?done=x&done=y')).status, 200);
  assert.deepEqual(app.bugs, []);
});

test('nobody who is deactivated, or whose tenant is, sees anything any more', async () => {
  await using app = await authorityApp();
  const browser = await signedIn(app);
  const acme = toTenantId('acme');
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`update authority.users set active = false where tenant = ${acme} and username = 'vic'`),
  );
  assert.equal((await browser.open('/account')).status, 303);
  assert.equal((await browser.send('/account/second-factor', { do: 'begin' })).status, 303);
  const other = await signedIn(app, 'gil');
  await app.deps.database.system.write((tx) =>
    tx.run(sql`update authority.tenants set active = false where tenant = 'globex'`),
  );
  assert.equal((await other.open('/account')).status, 303);
});
