import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import Fastify from 'fastify';
import { registerConsole } from './console-files.ts';
import { registerNotFound } from './not-found.ts';
import { CONSOLE_ROUTES } from './paths.ts';

/** Serves a console of three files. */
const serveConsole = async () => {
  const dist = await mkdtemp(join(tmpdir(), 'landfall-dist-'));
  await mkdir(join(dist, 'assets'));
  await writeFile(join(dist, 'index.html'), '<!doctype html><title>Landfall</title>');
  await writeFile(join(dist, 'assets/main-4f2a.js'), 'export {};');
  await writeFile(join(dist, '.stamp'), 'secret');
  const app = Fastify();
  registerNotFound(app, systemClock, true);
  await registerConsole(app, dist);
  return {
    get: (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', accept = 'text/html,*/*;q=0.8') =>
      app.inject({ method, url, headers: { accept } }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await rm(dist, { recursive: true });
    },
  };
};

test('the page is asked for anew each time, what is named by its content never', async () => {
  await using web = await serveConsole();
  const page = await web.get('/');
  assert.equal(page.headers['cache-control'], 'no-cache');
  assert.match(String(page.headers['content-type']), /^text\/html/);
  const script = await web.get('/assets/main-4f2a.js');
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable');
});

test('a page of the console runs no script but its own and is framed by nobody', async () => {
  await using web = await serveConsole();
  for (const path of ['/', '/releases/1']) {
    const policy = String((await web.get(path)).headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    assert.match(policy, /frame-ancestors 'none'/);
  }
});

test('a path of the console’s own gets the page; an interface’s, a missing file and a write do not', async () => {
  await using web = await serveConsole();
  assert.match((await web.get('/releases/1?tab=history')).body, /<title>Landfall/);
  for (const path of ['/api/v1/x', '/v1', '/oauth/x', '/graphql/x', '/session/x', '/docs/x', '/assets/old-1.js'])
    assert.doesNotMatch((await web.get(path)).body, /<title>|secret/, path);
  assert.equal((await web.get('/assets/old-1.js')).statusCode, 404);
  assert.equal((await web.get('/releases/1', 'POST')).statusCode, 404);
});

test('what SCIM does not have is refused as SCIM refuses, and is no page', async () => {
  await using web = await serveConsole();
  for (const path of ['/scim/v2/Roles', '/scim/v2/', '/scim/v3/Users']) {
    const answer = await web.get(path);
    assert.deepEqual([answer.statusCode, answer.headers['content-type']], [404, 'application/scim+json'], path);
    assert.equal(answer.json().status, '404');
  }
});

test('no path leads out of the console’s folder', async () => {
  await using web = await serveConsole();
  for (const path of [
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/..%2f.stamp',
    '/.stamp',
    '//etc/passwd',
  ])
    assert.doesNotMatch((await web.get(path)).body, /root:|secret/, path);
});

test('only a navigation gets the page, and only a route of the console with 200', async () => {
  await using web = await serveConsole();
  for (const accept of ['*/*', 'application/json', 'text/html-not', ''])
    for (const path of ['/releases/1', '/API/v1/x', '/TOKEN', '/introspect', '/metrics', '/nothing']) {
      const answer = await web.get(path, 'GET', accept);
      assert.deepEqual([answer.statusCode, answer.json().error.code], [404, 'RES_NOT_FOUND'], `${accept} ${path}`);
    }
  for (const path of ['/API/v1/x', '/TOKEN', '/introspect', '/metrics', '/Releases', '/releasesx']) {
    const answer = await web.get(path);
    assert.deepEqual([answer.statusCode, /<title>Landfall/.test(answer.body)], [404, true], path);
  }
  for (const accept of ['text/html', 'application/xhtml+xml, TEXT/HTML;q=0.9'])
    assert.equal((await web.get('/releases/1', 'GET', accept)).statusCode, 200, accept);
});

test('the console’s routes are those of its router', async () => {
  const router = await readFile(new URL('../../console/src/routes.tsx', import.meta.url), 'utf8');
  const first = [...router.matchAll(/\bpage\(\s*'(\/[^/']*)/g)].map(([, path = '']) => path);
  assert.deepEqual(new Set(first), new Set(['/', ...CONSOLE_ROUTES]));
});

test('what search does not have is refused as search refuses', async () => {
  await using web = await serveConsole();
  for (const path of ['/v1/search/nothing', '/v1/search', '/v1/advisory-ai/search/nothing', '/v1/advisory-ai/x']) {
    const answer = await web.get(path);
    assert.deepEqual([answer.statusCode, answer.body], [404, '{"error":"RES_NOT_FOUND"}'], path);
  }
  assert.equal((await web.get('/v1/searching')).json().error.code, 'RES_NOT_FOUND');
});
