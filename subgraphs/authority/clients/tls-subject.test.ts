import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSigned } from '@landfall/kernel/testing/certificates';
import { isTlsSubject, namesClient, type TlsSubjectKind } from './tls-subject.ts';

const certificate = selfSigned({
  subject: '/C=CH/O=Ac\\,me, Inc/CN=client "one"\\+two',
  alternatives: [
    'DNS:Client.Example',
    'URI:https://a.example/x?a=1',
    'IP:10.0.0.1',
    'IP:2001:db8::1',
    'email:a@b.example',
  ],
}).x509;

const is = (kind: TlsSubjectKind, value: string, of: X509Certificate = certificate): boolean =>
  namesClient(of, { kind, value });

test('a distinguished name is compared part by part, in the order of RFC 4514', () => {
  const name = 'CN=client \\"one\\"\\+two,O=Ac\\,me\\, Inc,C=CH';
  for (const same of [
    name,
    'cn = client \\"one\\"\\+two , O=Ac\\,me\\, Inc,C=CH',
    'CN=client \\22one\\22\\2Btwo,O=Ac\\2cme\\, Inc,C=CH',
  ])
    assert.equal(is('subject_dn', same), true, same);
  for (const other of [
    'C=CH,O=Ac\\,me\\, Inc,CN=client \\"one\\"\\+two',
    'CN=client \\"one\\"\\+two',
    'CN=client \\"one\\"\\+two,O=Ac\\,me\\, Inc,C=CH,C=CH',
    'CN=client \\"one\\"\\+two,O=Ac,me\\, Inc,C=CH',
    'CN=Client \\"one\\"\\+two,O=Ac\\,me\\, Inc,C=CH',
    'CN=client \\"one\\"+two=,O=Ac\\,me\\, Inc,C=CH',
    '',
  ])
    assert.equal(is('subject_dn', other), false, other);
});

test('alternative names count by their kind, in any spelling of theirs', () => {
  assert.equal(is('san_dns', 'client.example'), true);
  assert.equal(is('san_uri', 'https://a.example/x?a=1'), true);
  assert.equal(is('san_ip', '10.0.0.1'), true);
  assert.equal(is('san_ip', '2001:DB8:0::1'), true);
  assert.equal(is('san_email', 'a@b.example'), true);
  assert.equal(is('san_dns', 'other.example'), false);
  assert.equal(is('san_dns', '10.0.0.1'), false);
  assert.equal(is('san_uri', 'https://a.example/x'), false);
  assert.equal(is('san_email', 'A@b.example'), false);
});

test('a name that was made to read as two is one', () => {
  for (const malformed of [
    'URI:https://a.example/, DNS:client.example',
    'DNS:a, DNS:client.example',
    'URI:a", DNS:client.example, "b',
  ])
    assert.equal(
      is('san_dns', 'client.example', selfSigned({ subject: '/CN=x', alternatives: [malformed] }).x509),
      false,
      malformed,
    );
  for (const subject of ['/CN=x, CN=client', '/CN=x\nCN=client', '/CN=client\\+CN=x', '/O=a/CN=client'])
    assert.equal(is('subject_dn', 'CN=client', selfSigned({ subject }).x509), false, subject);
});

test('a certificate without a name of the kind names nobody', () => {
  const plain = selfSigned({ subject: '/CN=x' }).x509;
  for (const kind of ['san_dns', 'san_uri', 'san_ip', 'san_email'] as const) assert.equal(is(kind, 'x', plain), false);
  assert.equal(is('subject_dn', 'CN=x', plain), true);
});

test('what can be no subject of its kind is known as such', () => {
  const bad = [
    ['subject_dn', ''],
    ['subject_dn', 'client'],
    ['subject_dn', 'CN=a,'],
    ['subject_dn', 'CN='],
    ['subject_dn', 'CN=a\\'],
    ['san_dns', 'a b'],
    ['san_uri', 'a'],
    ['san_ip', '10.0.0'],
    ['san_ip', '::1%lo'],
    ['san_email', 'a'],
  ] as const;
  for (const [kind, value] of bad) assert.equal(isTlsSubject({ kind, value }), false, `${kind} ${value}`);
  assert.equal(isTlsSubject({ kind: 'subject_dn', value: '2.5.4.3=a+O=b,C=CH' }), true);
  assert.equal(isTlsSubject({ kind: 'san_dns', value: 'client.example' }), true);
});
