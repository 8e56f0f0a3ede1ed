import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from './session.fixture.ts';

/** Keeps the cookies of an origin as a browser does. */
const createJar = () => {
  const kept = new Map<string, string>();
  return {
    kept,
    header: (): string => [...kept].map(([name, value]) => `${name}=${value}`).join('; '),
    keep(lines: readonly string[]): void {
      for (const line of lines) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/max-age=0/i.test(line)) kept.delete(name);
        else kept.set(name, value);
      }
    },
  };
};

test('after 47 unfinished sign-ins a browser holds the newest eight, and its requests are still answered', async () => {
  await using it = await signedIn();
  const origin = await it.app.listen({ port: 0, host: '127.0.0.1' });
  const jar = createJar();
  const states: string[] = [];
  for (let at = 0; at < 47; at++) {
    const back = encodeURIComponent(`/releases?text=${'x'.repeat(at % 2 === 0 ? 480 : 5_000)}`);
    const response = await fetch(`${origin}/session/sign-in?moved=1&return=${back}`, {
      headers: { cookie: jar.header() },
      redirect: 'manual',
    });
    assert.equal(response.status, 302, `sign-in ${at}`);
    jar.keep(response.headers.getSetCookie());
    states.push(new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? '');
  }
  assert.deepEqual(
    [...jar.kept.keys()].toSorted(),
    states
      .slice(-8)
      .map((state) => `landfall-sign-in-${state.slice(0, 16)}`)
      .toSorted(),
  );
  const session = await fetch(`${origin}/session`, { headers: { cookie: jar.header() } });
  assert.equal(session.status, 204);
});
