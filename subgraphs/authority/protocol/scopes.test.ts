import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseScopes, ROLES, refusedScope, requestedScopes, SCOPES, scopesOfClient, scopesOfRoles } from './scopes.ts';

test('scopes are listed once each, in order', () => {
  assert.deepEqual(SCOPES, [...new Set(SCOPES)].toSorted());
});

test('a scope parameter is words, each once', () => {
  assert.deepEqual(parseScopes(' orch:read  openid orch:read '), ['orch:read', 'openid']);
});

test('roles add up; an unknown role adds nothing', () => {
  assert.deepEqual(scopesOfRoles(['viewer', 'approver', 'emperor'], ['orch:approve', 'orch:read', 'orch:admin']), [
    'orch:approve',
    'orch:read',
  ]);
  assert.deepEqual(scopesOfRoles([], ['openid', 'orch:read', 'offline_access', 'profile']), [
    'openid',
    'offline_access',
    'profile',
  ]);
});

test('asking for a promotion and approving it are two roles; only admin has both', () => {
  const both = ['orch:operate', 'orch:approve'];
  assert.deepEqual(
    ROLES.filter((role) => scopesOfRoles([role], both).length === 2),
    ['admin'],
  );
});

test('only admin administers, and admin holds every scope there is', () => {
  assert.deepEqual(scopesOfRoles(['admin'], SCOPES), SCOPES);
  for (const role of ROLES.filter((name) => name !== 'admin'))
    assert.deepEqual(scopesOfRoles([role], ['authority:admin', 'orch:admin', 'notify.admin', 'advisory-ai:admin']), []);
});

test('words that are no scope of ours are ignored', () => {
  assert.deepEqual(requestedScopes('orch:read toString nothing:known openid'), ['orch:read', 'openid']);
});

test('a scope is refused when it is not the client’s', () => {
  assert.equal(refusedScope(['orch:read', 'orch:admin'], ['orch:read']), 'orch:admin');
  assert.equal(refusedScope(['orch:read'], ['orch:read']), undefined);
});

test('a client holds nothing that is about a person', () => {
  assert.deepEqual(scopesOfClient(['openid', 'orch:read', 'offline_access', 'profile']), ['orch:read']);
});
