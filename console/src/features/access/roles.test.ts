import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveRoles, scopesByModule, splitCertificates, splitLines } from './roles.ts';

test('a role that is held twice stands once, with where it comes from', () => {
  const groups = [
    { displayName: 'Platform', roles: ['operator', 'viewer'] },
    { displayName: 'On call', roles: ['viewer'] },
  ];
  assert.deepEqual(effectiveRoles({ roles: ['viewer'], groups }), [
    { role: 'viewer', isDirect: true, by: ['Platform', 'On call'] },
    { role: 'operator', isDirect: false, by: ['Platform'] },
  ]);
  assert.deepEqual(effectiveRoles({ roles: null, groups: null }), []);
});

test('scopes stand under their module, whichever sign parts them', () => {
  assert.deepEqual(
    [...scopesByModule(['openid', 'orch:read', 'orch:admin', 'export.viewer', 'airgap:status:read'])],
    [
      ['', ['openid']],
      ['orch', ['orch:read', 'orch:admin']],
      ['export', ['export.viewer']],
      ['airgap', ['airgap:status:read']],
    ],
  );
});

test('lines and certificates are read from what was pasted', () => {
  assert.deepEqual(splitLines(' https://a/cb \r\n\n https://b/cb'), ['https://a/cb', 'https://b/cb']);
  const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;
  assert.deepEqual(splitCertificates(`subject: x\n${pem('AA')}\n\n${pem('BB')}\n`), [pem('AA'), pem('BB')]);
  assert.deepEqual(splitCertificates('no certificate'), []);
});
