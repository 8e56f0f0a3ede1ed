import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purlText, symbolParts } from './purl-text.ts';

test('a package URL is written without its scheme, its qualifiers and its encoding', () => {
  assert.equal(purlText('pkg:npm/%40quay/gate@1.1.0?arch=x64#lib'), 'npm/@quay/gate@1.1.0');
  assert.equal(purlText('bare'), 'bare');
  assert.equal(purlText('pkg:npm/50%@1'), 'npm/50%@1');
});

test('a symbol has its name, and its package and module beside it', () => {
  const key = 'go|pkg:golang/github.com/lib/pq|github.com/lib/pq|Connector.Connect|';
  assert.deepEqual(symbolParts(key), {
    name: 'Connector.Connect',
    place: 'golang/github.com/lib/pq github.com/lib/pq',
  });
  assert.deepEqual(symbolParts('ruby|pkg:gem/a||%7C|'), { name: '|', place: 'gem/a' });
  assert.deepEqual(symbolParts('odd'), { name: 'odd', place: '' });
});
