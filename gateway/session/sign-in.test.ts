import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PENDING } from './pending-sign-in.ts';
import { signedIn } from './session.fixture.ts';

/** Creates a cookie jar for one origin. */
const createJar = () => {
  const cookies = new Map<string, string>();
  return {
    kept: cookies,
    header: (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    keep(lines: readonly string[]): void {
      for (const line of lines) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
    },
  };
};

type Jar = ReturnType<typeof createJar>;

/** Begins a sign-in with the cookies of a jar, like a browser tab. */
const begin = async (origin: string, cookie: string, index: number) => {
  const back = encodeURIComponent(`/releases?text=${'x'.repeat(index % 2 === 0 ? 480 : 5_000)}`);
  const response = await fetch(`${origin}/session/sign-in?moved=1&return=${back}`, {
    headers: { cookie },
    redirect: 'manual',
  });
  assert.equal(response.status, 302, `sign-in ${index}`);
  const state = new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? '';
  return { state, lines: response.headers.getSetCookie() };
};

const statusOf = async (url: string, jar: Jar): Promise<number> =>
  (await fetch(url, { headers: { cookie: jar.header() }, redirect: 'manual' })).status;

test('after 47 unfinished sign-ins a browser holds the newest eight, and its requests are still answered', async () => {
  await using it = await signedIn();
  const origin = await it.app.listen({ port: 0, host: '127.0.0.1' });
  const jar = createJar();
  const cookies: string[] = [];
  for (let index = 0; index < 47; index++) {
    await it.clock.advance(1);
    const { lines } = await begin(origin, jar.header(), index);
    jar.keep(lines);
    cookies.push(lines.join().split(';')[0] ?? '');
  }
  assert.deepEqual(jar.header().split('; ').toSorted(), cookies.slice(-MAX_PENDING).toSorted());
  assert.equal(await statusOf(`${origin}/session`, jar), 204);
});

test('after 60 sign-ins that began at once a browser holds eight cookies, and its requests are still answered', async () => {
  await using it = await signedIn();
  const origin = await it.app.listen({ port: 0, host: '127.0.0.1' });
  const jar = createJar();
  const all = await Promise.all(Array.from({ length: 60 }, (_, index) => begin(origin, '', 2 * index)));
  for (const { lines } of all) jar.keep(lines);
  assert.equal(jar.kept.size, MAX_PENDING);
  assert.ok(jar.header().length < 9_000, `${jar.header().length} bytes`);
  assert.equal(await statusOf(`${origin}/session`, jar), 204);
  assert.equal(await statusOf(`${origin}/session/sign-in?moved=1`, jar), 302);
});

test('eight tabs that begin to sign in at once all come to their own callback', async () => {
  await using it = await signedIn();
  const origin = await it.app.listen({ port: 0, host: '127.0.0.1' });
  const jar = createJar();
  const all = await Promise.all(Array.from({ length: MAX_PENDING }, (_, index) => begin(origin, '', 2 * index)));
  for (const { lines } of all) jar.keep(lines);
  for (const { state } of all) {
    const url = `${origin}/session/callback?${new URLSearchParams({ state, error: 'access_denied' })}`;
    const answer = await fetch(url, { headers: { cookie: jar.header() }, redirect: 'manual' });
    // The address to return to is stored with the sign-in, so it is known only if that was found.
    assert.match(answer.headers.get('location') ?? '', /^\/session\/trouble\?return=%2Freleases/);
  }
});
