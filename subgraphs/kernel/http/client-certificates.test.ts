import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { test } from 'node:test';
import { selfSigned, signedBy } from '../testing/certificates.ts';
import { type ClientCertificateOptions, createClientCertificates } from './client-certificates.ts';
import { createProxies } from './proxies.ts';

const authority = selfSigned({ subject: '/CN=authority', isAuthority: true });
const client = signedBy(authority, { subject: '/CN=client', alternatives: ['DNS:client.example'] });
const otherCertificate = selfSigned({ subject: '/CN=client' });

const now = () => new Date();
const escaped = (pem: string): string => encodeURIComponent(pem);
const field = (raw: Buffer): string => `:${raw.toString('base64')}:`;

/** Certificate of a request over a socket, and whether its header is left. */
const learned = async (
  options: Partial<Omit<ClientCertificateOptions, 'proxies'>> & { readonly proxies?: readonly string[] },
  headers: readonly string[],
  at = now,
): Promise<{ error: string | undefined; raw: string } | 'none'> => {
  const read = createClientCertificates(
    {
      ...{ header: 'x-client-cert', roots: authority.cert, ...options },
      proxies: createProxies(options.proxies ?? ['127.0.0.0/8', '::1']),
    },
    at,
  );
  const server = createServer((request, response) => {
    const certificate = read(request);
    assert.equal('x-client-cert' in request.headers, false, 'the header is gone');
    response.end(
      JSON.stringify(certificate ? { error: certificate.error, raw: certificate.raw.toString('hex') } : 'none'),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const [response] = await once(send({ port, headers: [...headers] }).end(), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  server.close();
  return JSON.parse(text);
};

const header = (...values: string[]): string[] => ['Host', 'a', ...values.flatMap((value) => ['X-Client-Cert', value])];
const raw = client.x509.raw.toString('hex');

test('a trusted proxy may tell of a certificate, as escaped PEM or as RFC 9440 has it', async () => {
  assert.deepEqual(await learned({}, header(escaped(client.cert))), { raw });
  assert.deepEqual(await learned({}, header(field(client.x509.raw))), { raw });
  assert.deepEqual(await learned({ proxies: ['127.0.0.1'] }, header(field(client.x509.raw))), { raw });
});

test('from anybody else the header is nothing, and gone', async () => {
  for (const proxies of [['10.0.0.0/8'], ['127.0.0.2'], ['::1'], []])
    assert.equal(await learned({ proxies }, header(field(client.x509.raw))), 'none', String(proxies));
});

test('a header that stands twice, is no certificate, or holds two, tells nothing', async () => {
  const duplicated = header(field(client.x509.raw), field(client.x509.raw));
  assert.equal(await learned({}, duplicated), 'none');
  for (const value of [
    '',
    'x',
    '::',
    ':AAAA:',
    '%',
    '%zz',
    client.x509.raw.toString('base64'),
    escaped(client.cert + otherCertificate.cert),
    escaped(client.key),
    `:${'A'.repeat(14_000)}:`,
  ])
    assert.equal(await learned({}, header(value)), 'none', value.slice(0, 40));
});

test('the chain of such a certificate is judged here: issuer, dates, purpose', async () => {
  const errorOf = async (pem: string, options: Pick<Partial<ClientCertificateOptions>, 'roots'> = {}, at = now) => {
    const answer = await learned(options, header(escaped(pem)), at);
    return answer === 'none' ? answer : (answer.error ?? 'good');
  };
  assert.equal(await errorOf(client.cert), 'good');
  assert.equal(await errorOf(otherCertificate.cert), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  assert.equal(await errorOf(client.cert, { roots: undefined }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  const namesake = selfSigned({ subject: '/CN=authority', isAuthority: true });
  assert.equal(await errorOf(signedBy(namesake, { subject: '/CN=client' }).cert), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  const byClient = signedBy(client, { subject: '/CN=other' });
  assert.equal(await errorOf(byClient.cert, { roots: client.cert }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'no authority');
  assert.equal(await errorOf(client.cert, {}, () => new Date('2020-01-01')), 'CERT_NOT_YET_VALID');
  assert.equal(await errorOf(client.cert, {}, () => new Date('2050-01-01')), 'CERT_HAS_EXPIRED');
  const server = signedBy(authority, { subject: '/CN=server', usage: 'serverAuth' });
  assert.equal(await errorOf(server.cert), 'INVALID_PURPOSE');
  const both = signedBy(authority, { subject: '/CN=both', usage: 'serverAuth,clientAuth' });
  assert.equal(await errorOf(both.cert), 'good');
});
