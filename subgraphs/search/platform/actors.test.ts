import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { aDeployment, anEstate, aRelease, entry, finished, idOf, storyApp } from './story.fixture.ts';

const key = (domain: string, kind: string, name: string): string => `${domain}/${kind}/${idOf(name)}`;

const people = [
  entry('user.create', 'User', 'rosa', { username: 'rosa', roles: [] }),
  entry('user.create', 'User', 'max', { username: 'max@acme.example', roles: [] }),
  entry('client.create', 'Client', 'pipeline', { name: 'pipeline', scopes: ['release:read'] }),
];

/** The client makes and asks for it; Rosa and Max approve it. */
const approved = [
  ...people,
  ...anEstate,
  ...finished('pipeline', aRelease('one', '1.0.0')),
  entry('promotion.request', 'Promotion', 'wanted', {
    releaseId: idOf('one'),
    environmentId: idOf('prod'),
    reason: 'Pictures',
    state: 'pending',
  }),
  entry('promotion.approve', 'Promotion', 'wanted', { have: 1, need: 2, state: 'pending', comment: null }),
  ...finished('max', [
    entry('promotion.approve', 'Promotion', 'wanted', { have: 2, need: 2, state: 'approved', comment: 'Looked at it' }),
  ]),
];

test('who approved, asked for, made and held something is told by name', async () => {
  await using app = await storyApp();
  await app.happen([...approved, ...finished('max', [entry('release.hold', 'Release', 'one', { reason: 'Wait' })])]);
  await app.project();
  const decision = await app.document(key('opsmemory', 'Promotion', 'wanted'));
  assert.equal(decision?.title, 'shop 1.0.0 into prod was approved by rosa and max');
  assert.match(decision?.body ?? '', /UTC: approved by max \(2 of 2\): Looked at it\.$/);
  const promotion = await app.document(key('timeline', 'Promotion', 'wanted'));
  assert.equal(promotion?.title, 'Promotion of shop 1.0.0 to prod, waiting to be deployed');
  assert.match(promotion?.body ?? '', /UTC: asked for by rosa\n/);
  const release = await app.document(key('release', 'Release', 'one'));
  assert.match(release?.body ?? '', /UTC: draft created by the client pipeline\n/);
  assert.match(release?.body ?? '', /UTC: finalized by the client pipeline: every tag became a digest/);
  const document = await app.document(key('opsmemory', 'Release', 'one'));
  assert.equal(document?.title, 'shop 1.0.0: put on hold by max');
});

test('another name, a deactivation and a deletion show in everything that somebody did', async () => {
  await using app = await storyApp();
  const title = async () => (await app.document(key('opsmemory', 'Promotion', 'wanted')))?.title;
  const step = async (type: string, name: string, data = {}): Promise<void> => {
    await app.happen([entry(type, 'User', name, data)]);
    await app.project();
  };
  await app.happen(approved);
  await app.project();
  await step('user.update', 'rosa', { username: 'rosa.diaz', password: false });
  assert.equal(await title(), 'shop 1.0.0 into prod was approved by rosa.diaz and max');
  await step('user.deactivate', 'max');
  assert.equal(await title(), 'shop 1.0.0 into prod was approved by rosa.diaz and max (deactivated)');
  await step('user.reactivate', 'max');
  assert.equal(await title(), 'shop 1.0.0 into prod was approved by rosa.diaz and max');
  await step('user.delete', 'rosa', { username: 'rosa.diaz' });
  assert.equal(await title(), 'shop 1.0.0 into prod was approved by max');
  assert.ok(!JSON.stringify(await app.documents()).includes('rosa'));
  const before = await app.documents();
  await app.projection.rebuild(toTenantId('acme'));
  assert.deepEqual(await app.documents(), before);
});

test('another tenant’s people have no name here, and workers none anywhere', async () => {
  await using app = await storyApp();
  await app.happen(people, 'globex');
  await app.happen([
    ...anEstate,
    ...finished('orchestrator.runner', aRelease('one', '1.0.0')),
    ...aDeployment('first', 'one'),
  ]);
  await app.project();
  const all = JSON.stringify(await app.documents());
  for (const word of ['rosa', 'max', 'pipeline', 'runner']) assert.ok(!all.includes(word), word);
  const decision = await app.document(key('opsmemory', 'Promotion', 'promotion of first'));
  assert.equal(decision?.title, 'shop 1.0.0 into prod was approved');
});

test('nothing is told of people but the name, nor of sign-ins, tokens or secrets, nor how an integration signs in', async () => {
  await using app = await storyApp();
  await app.happen([
    ...anEstate,
    ...aRelease('one', '1.0.0'),
    entry('user.create', 'User', 'ada', { username: 'ada@acme.example', roles: ['viewer'] }),
    entry('user.create', 'User', 'rosa', { username: 'rosa@acme.example', roles: ['approver'] }),
    entry('user.signIn', 'User', 'rosa', { amr: ['pwd'], clientId: idOf('console') }),
    entry('release.hold', 'Release', 'one', { reason: 'Wait' }),
    entry('client.create', 'Client', 'robot', { name: 'robot' }),
    entry('secret.save', 'Secret', 'database password'),
    entry('registrationToken.create', 'RegistrationToken', 'token'),
    entry('accessToken.revoke', 'AccessToken', 'token'),
    entry('session.revoke', 'Session', 'session'),
  ]);
  await app.project();
  const all = JSON.stringify(await app.documents());
  // A person without an action appears nowhere; one with an action is called by name, not by address.
  assert.match(all, /put on hold by rosa: Wait\./);
  for (const word of [
    'ada',
    'acme.example',
    'approver',
    'robot',
    'hunter2',
    'pwd',
    idOf('database password'),
    idOf('token'),
  ])
    assert.ok(!all.includes(word), word);
  assert.match(all, /https:\/\/registry\.example/);
});
