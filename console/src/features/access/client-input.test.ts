import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atFields, chosenOf, clientInput, withMethods } from './client-input.ts';

const form = (fields: Readonly<Record<string, string>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

test('a registration says what was written and chosen', () => {
  const chosen = { ...chosenOf(undefined), scopes: ['orch:read'], rules: ['dpopBound'] as const };
  const input = clientInput(form({ name: ' builder ', resources: '', plan: '' }), chosen);
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
  const chosen = chosenOf(undefined);
  const input = clientInput(form({ name: 'n', redirectUris: 'https://a/cb\nhttps://b/cb' }), chosen);
  assert.deepEqual(input.redirectUris, ['https://a/cb', 'https://b/cb']);
  for (const part of ['postLogoutRedirectUris', 'tlsSubject', 'certificates', 'plan'])
    assert.equal(part in input, false);
});

test('a public client has no other method, and another method ends that it is public', () => {
  assert.deepEqual(withMethods(['CLIENT_SECRET_BASIC'], ['CLIENT_SECRET_BASIC', 'NONE']), ['NONE']);
  assert.deepEqual(withMethods(['NONE'], ['NONE', 'TLS_CLIENT_AUTH']), ['TLS_CLIENT_AUTH']);
  assert.deepEqual(withMethods(['NONE'], []), []);
});

test('the refusal of one line stands at the field of all lines', () => {
  const problem = { field: 'redirectUris.1', message: 'm', code: 'c' };
  assert.deepEqual(atFields([problem]), [{ ...problem, field: 'redirectUris' }]);
});
