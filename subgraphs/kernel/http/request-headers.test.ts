import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededIds } from '../testing/ids.ts';
import { readRequestHeaders } from './request-headers.ts';

const request = (...rawHeaders: string[]) => {
  const headers: Record<string, string> = {};
  rawHeaders.forEach((name, index) => {
    if (index % 2 === 0) headers[name.toLowerCase()] = rawHeaders[index + 1] ?? '';
  });
  return { headers, rawHeaders, method: 'POST', url: '/things?a=b' };
};

const correlationOf = (...input: string[]) =>
  readRequestHeaders(request(...input.flatMap((id) => ['X-Svc-Correlation-Id', id])), seededIds()).correlationId;

test('every header that pretends an identity is gone, the correlation id and the rest stay', () => {
  const id = '0b6cd4c2-5a6b-4a3f-8a53-7f8a6a9c2d10';
  const created = request(
    ...['X-User-Id', 'u', 'X-Tenant-Id', 'acme', 'X-Scopes', 'all', 'X-Svc-Actor', 'root', 'x-svc-tenant', 't'],
    ...['X-LANDFALL-Scopes', 'all', 'x-landfall-csrf', 'c', 'X-Svc-Correlation-Id', id, 'Accept', '*/*', 'DPoP', 'p'],
  );
  const requestHeaders = readRequestHeaders(created, seededIds());
  assert.deepEqual(created.headers, { 'x-svc-correlation-id': id, accept: '*/*', dpop: 'p' });
  assert.deepEqual(requestHeaders, {
    correlationId: id,
    assertedTenants: ['acme'],
    authorization: [],
    csrf: 'c',
    method: 'POST',
    target: '/things?a=b',
    dpop: ['p'],
    certificate: undefined,
  });
});

// spec: 5/correlation-id
test('a correlation id that is no GUID or ULID, or stands twice, is replaced', () => {
  for (const fit of ['0B6CD4C2-5A6B-4A3F-8A53-7F8A6A9C2D10', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
    assert.equal(correlationOf(fit), fit);
    assert.equal(correlationOf(fit, fit), seededIds().uuid());
  }
  for (const bad of ['', 'x', '81ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAU', '{0b6cd4c2}', '"><script>'])
    assert.equal(correlationOf(bad), seededIds().uuid(), bad);
  const created = request();
  assert.equal(readRequestHeaders(created, seededIds()).correlationId, created.headers['x-svc-correlation-id']);
});

test('headers that stand twice are seen twice', () => {
  const requestHeaders = readRequestHeaders(
    request(
      'Authorization',
      'Bearer a',
      'authorization',
      'Bearer b',
      'x-tenant-id',
      'acme',
      'X-Tenant-ID',
      'globex',
      'DPoP',
      'p',
      'dpop',
      'q',
    ),
    seededIds(),
  );
  assert.deepEqual(requestHeaders.authorization, ['Bearer a', 'Bearer b']);
  assert.deepEqual(requestHeaders.assertedTenants, ['acme', 'globex']);
  assert.deepEqual(requestHeaders.dpop, ['p', 'q']);
});
