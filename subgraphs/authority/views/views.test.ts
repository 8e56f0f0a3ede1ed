import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { caller, people } from '@landfall/kernel/testing/callers';
import { makeAuthority } from '../testing/authority.ts';

const SAVE = `mutation ($input: SaveViewInput!) {
  it: saveView(input: $input) { id name path shared owner { id } }
}`;
const REMOVE = 'mutation ($input: DeleteViewInput!) { it: deleteView(input: $input) }';
const LIST = '{ it: savedViews { name path shared } }';

const failed = { name: 'Failed today', path: '/deployments?status=FAILED' };

const seeded = () => testApp({ createModule: makeAuthority });
type App = Awaited<ReturnType<typeof seeded>>;
type As = Parameters<App['graph']>[2];

const ask = async (app: App, source: string, variables: object = {}, as?: As) => {
  const { data, errors } = await app.graph(source, { ...variables }, as);
  return { it: JSON.parse(JSON.stringify(data?.it ?? null)), code: errors?.[0]?.extensions?.code };
};

const names = async (app: App, as?: As): Promise<string[]> =>
  (await ask(app, LIST, {}, as)).it.map(({ name }: { name: string }) => name);

test('a view is its owner’s until it is shared, and never another tenant’s', async () => {
  await using app = await seeded();
  const { it } = await ask(app, SAVE, { input: failed }, { as: 'viewer' });
  assert.deepEqual(it, { id: it.id, ...failed, shared: false, owner: { id: app.caller('viewer').subject } });
  assert.deepEqual([await names(app, { as: 'viewer' }), await names(app)], [['Failed today'], []]);
  await ask(app, SAVE, { input: { ...failed, shared: true } }, { as: 'viewer' });
  assert.deepEqual([await names(app), await names(app, { as: 'other-tenant' })], [['Failed today'], []]);
});

test('the same name again is the same view with another address, also when two save it at once', async () => {
  await using app = await seeded();
  const { it: first } = await ask(app, SAVE, { input: failed });
  const repeated = await Promise.all(
    ['/estate', '/releases'].map((path) => ask(app, SAVE, { input: { name: failed.name, path } })),
  );
  assert.deepEqual(
    repeated.map(({ it }) => it.id),
    [first.id, first.id],
  );
  assert.deepEqual(await names(app), ['Failed today']);
});

test('only a path of the console is taken', async () => {
  await using app = await seeded();
  const refused = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\/evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/ /x',
    'deployments',
    '',
    `/${'a'.repeat(2_000)}`,
  ];
  for (const path of refused)
    assert.match(String((await ask(app, SAVE, { input: { ...failed, path } })).code), /^VAL_/, path);
  for (const path of ['/', '/deployments?status=FAILED&a=%2F%2Fx#top', `/${'a'.repeat(1_999)}`])
    assert.equal((await ask(app, SAVE, { input: { ...failed, path } })).code, undefined, path);
  assert.match(String((await ask(app, SAVE, { input: { ...failed, name: 'n'.repeat(101) } })).code), /^VAL_/);
});

test('a view is removed by its owner, a shared one by an administrator too', async () => {
  await using app = await seeded();
  const save = async (shared: boolean) =>
    (await ask(app, SAVE, { input: { ...failed, shared } }, { as: 'viewer' })).it.id;
  const remove = async (id: string, as: As) => (await ask(app, REMOVE, { input: { id } }, as)).code;
  const own = await save(false);
  assert.equal(await remove(own, { as: 'operator' }), 'RES_NOT_FOUND');
  const shared = await save(true);
  for (const as of ['nobody', 'other-tenant'] as const) assert.equal(await remove(shared, { as }), 'RES_NOT_FOUND');
  assert.equal(await remove(shared, { as: 'operator' }), undefined);
  const repeated = await save(false);
  assert.equal(await remove(repeated, { as: 'viewer' }), undefined);
  assert.equal(await remove(repeated, { as: 'viewer' }), 'RES_NOT_FOUND');
});

test('two hundred views are enough; one of them may still be replaced', async () => {
  await using app = await seeded();
  for (let n = 0; n < 200; n++) await ask(app, SAVE, { input: { ...failed, name: `v${n}` } });
  assert.equal((await ask(app, SAVE, { input: failed })).code, 'RES_CONFLICT');
  assert.equal((await ask(app, SAVE, { input: { ...failed, name: 'v7' } })).code, undefined);
  assert.equal((await ask(app, SAVE, { input: failed }, { as: 'viewer' })).code, undefined);
});

test('a token that only says who somebody is shares no view and reads no sessions or token families', async () => {
  await using app = await seeded();
  const as = caller({ subject: people.viewer.subject, scopes: ['openid', 'profile', 'offline_access'] });
  assert.equal((await ask(app, SAVE, { input: { ...failed, shared: true } }, { as })).code, 'PERM_SCOPE_DENIED');
  assert.equal((await ask(app, SAVE, { input: failed }, { as })).code, undefined);
  for (const field of ['sessions', 'tokenFamilies']) {
    const source = `{ it: ${field} { edges { node { id } } } }`;
    assert.equal((await ask(app, source, {}, { as })).code, 'PERM_SCOPE_DENIED', field);
    assert.equal((await ask(app, source, {}, { as: 'viewer' })).code, undefined, field);
  }
});
