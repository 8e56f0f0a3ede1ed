import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf, parseRepository, REPOSITORY_PATTERN, TAG_PATTERN } from './repository.ts';

const repository = new RegExp(REPOSITORY_PATTERN);
const tag = new RegExp(TAG_PATTERN);

// spec: rulings/53
test('a repository is host/path', () => {
  for (const good of ['ghcr.io/shop/web', '127.0.0.1:5000/web', '[::1]:5000/a/b', 'r.example/a__b/c.d-e'])
    assert.match(good, repository);
  for (const bad of [
    'web',
    'ghcr.io/',
    'ghcr.io/Web',
    'ghcr.io/a//b',
    'ghcr.io/../x',
    'ghcr.io/web:1',
    'a b/c',
    'https://ghcr.io/web',
  ])
    assert.doesNotMatch(bad, repository);
});

test('a tag has the grammar of the distribution specification', () => {
  for (const good of ['1.0.0', 'latest', '_x', 'v1-rc.1']) assert.match(good, tag);
  for (const bad of ['', '-x', '.x', 'a/b', 'a b', 'x'.repeat(129)]) assert.doesNotMatch(bad, tag);
});

test('the host is the part before the first slash, in lower case', () => {
  assert.deepEqual(parseRepository('GHCR.io:443/shop/web'), { host: 'ghcr.io:443', path: 'shop/web' });
});

// spec: rulings/53
test('a registry is asked over TLS, but on this machine', () => {
  assert.equal(originOf('ghcr.io'), 'https://ghcr.io');
  assert.equal(originOf('127.0.0.1:5000'), 'http://127.0.0.1:5000');
  assert.equal(originOf('[::1]:5000'), 'http://[::1]:5000');
  assert.equal(originOf('localhost.example:5000'), 'https://localhost.example:5000');
});
