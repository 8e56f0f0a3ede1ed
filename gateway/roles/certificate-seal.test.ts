import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { testIdentity } from '@landfall/registry-token/testing/certificates';
import { certificateHeader, createCertificateSeals } from './certificate-seal.ts';

const { raw } = await testIdentity();
const [own, other] = [randomBytes(32), randomBytes(32)];
const seals = createCertificateSeals(createSecrets([own]));

const request = (header: string | undefined, method = 'GET', url = '/token?service=x'): IncomingMessage => {
  const message = new IncomingMessage(new Socket());
  const rawHeaders = header === undefined ? [] : [certificateHeader, header];
  return Object.assign(message, { method, url, rawHeaders });
};

test('a module believes the edge of a client’s certificate, for one method and one target', () => {
  const sealed = seals.seal({ raw }, 'GET', '/token?service=x');
  assert.deepEqual(seals.open(request(sealed))?.raw, raw);
  assert.equal(seals.open(request(sealed, 'POST')), undefined);
  assert.equal(seals.open(request(sealed, 'GET', '/token')), undefined);
});

test('nobody else is believed', () => {
  const unknown = createCertificateSeals(createSecrets([other])).seal({ raw }, 'GET', '/token?service=x');
  const plain = raw.toString('base64url');
  for (const header of [undefined, '', '.', plain, `${plain}.`, `${plain}.AAAA`, unknown])
    assert.equal(seals.open(request(header)), undefined, header ?? 'none');
});

test('while the root key is rotated, what the former one sealed is believed', () => {
  const sealed = seals.seal({ raw }, 'GET', '/token?service=x');
  const rotated = createCertificateSeals(createSecrets([other, own]));
  assert.deepEqual(rotated.open(request(sealed))?.raw, raw);
});
