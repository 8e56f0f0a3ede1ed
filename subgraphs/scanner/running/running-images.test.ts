import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { Upstream } from '@landfall/kernel/module';
import { createRunningImages } from './running-images.ts';

const acme = toTenantId('acme');

/** Reads the images from an estate that answers each request by its query. */
const imagesFrom = (answer: (query: URLSearchParams) => { readonly status?: number; readonly body: string }) => {
  const asked: string[] = [];
  const upstream: Upstream = async ({ tenant, scopes }, { target }) => {
    asked.push(`${tenant} ${[...scopes].join()} ${target}`);
    const { status = 200, body } = answer(new URL(target, 'http://estate').searchParams);
    return { status, body: Buffer.from(body) };
  };
  return { asked, read: () => createRunningImages({ upstream, ids: { uuid: () => 'c-1' } })(acme) };
};

test('every page of the estate is read, with the one scope that it needs', async () => {
  const pages = new Map([
    ['', { items: ['a', 'b'], nextCursor: '1 &' }],
    ['1 &', { items: ['c'], nextCursor: null }],
  ]);
  const { asked, read } = imagesFrom((query) => ({ body: JSON.stringify(pages.get(query.get('cursor') ?? '')) }));
  assert.deepEqual(await read(), ['a', 'b', 'c']);
  const route = 'acme release:read /api/v1/release-orchestrator/estate/running-images';
  assert.deepEqual(asked, [route, `${route}?cursor=1%20%26`]);
});

test('a list that cannot be read whole is an error, and no list of fewer images', async () => {
  for (const [second, message] of [
    [{ status: 503, body: '{}' }, /answered 503/],
    [{ body: 'not JSON' }, /unknown form/],
    [{ body: '{"items":[1],"nextCursor":null}' }, /unknown form/],
    [{ body: '{"items":[],"nextCursor":"again"}' }, /unknown form/],
  ] as const) {
    const first = { body: '{"items":["a"],"nextCursor":"again"}' };
    const { read } = imagesFrom((query) => (query.has('cursor') ? second : first));
    await assert.rejects(read(), message);
  }
});
