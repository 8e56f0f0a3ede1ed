import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedMethods, clientInput, initialChoices, mergeLineProblems } from './client-input.ts';

const form = (fields: Readonly<Record<string, string>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

test('a registration says what was written and chosen', () => {
  const selected = { ...initialChoices(undefined), scopes: ['orch:read'], rules: ['dpopBound'] as const };
  const input = clientInput(form({ name: ' builder ', resources: '', plan: '' }), selected);
  assert.deepEqual(input, {
    name: 'builder',
    grants: ['CLIENT_CREDENTIALS'],
    scopes: ['orch:read'],
    authMethods: ['CLIENT_SECRET_BASIC', 'CLIENT_SECRET_POST'],
    resources: [],
    dpopBound: true,
    tlsBound: false,
    requiresPushedRequests: false,
    requiresConsent: false,
    canIntrospect: false,
    plan: '',
  });
});

test('what the form does not show is left as it is', () => {
  const selected = initialChoices(undefined);
  const input = clientInput(form({ name: 'n', redirectUris: 'https://a/cb\nhttps://b/cb' }), selected);
  assert.deepEqual(input.redirectUris, ['https://a/cb', 'https://b/cb']);
  for (const part of ['postLogoutRedirectUris', 'tlsSubject', 'certificates', 'plan'])
    assert.equal(part in input, false);
});

test('a public client has no other method, and another method ends that it is public', () => {
  assert.deepEqual(changedMethods(['CLIENT_SECRET_BASIC'], ['CLIENT_SECRET_BASIC', 'NONE']), ['NONE']);
  assert.deepEqual(changedMethods(['NONE'], ['NONE', 'TLS_CLIENT_AUTH']), ['TLS_CLIENT_AUTH']);
  assert.deepEqual(changedMethods(['NONE'], []), []);
});

test('the refusal of one line stands at the field of all lines', () => {
  const problem = { field: 'redirectUris.1', message: 'm', code: 'c' };
  assert.deepEqual(mergeLineProblems([problem]), [{ ...problem, field: 'redirectUris' }]);
});
