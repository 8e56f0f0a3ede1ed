import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOf, shortRevision, splitMessage, unchangedComponents } from './comparison.ts';

test('components that no change names are unchanged', () => {
  const all = [{ name: 'api' }, { name: 'web' }];
  assert.deepEqual(unchangedComponents(all, [{ name: 'api' }, { name: 'gone' }]), [{ name: 'web' }]);
});

test('a message is its first line and the text after it', () => {
  assert.deepEqual(splitMessage('Fix\r\n\r\nBecause.\r\nPAY-1\n'), { subject: 'Fix', body: 'Because.\nPAY-1' });
  assert.deepEqual(splitMessage('<b>bold</b>'), { subject: '<b>bold</b>', body: '' });
  assert.deepEqual(splitMessage(''), { subject: '', body: '' });
});

test('a hash is shortened, and a tag is not', () => {
  assert.equal(shortRevision('a'.repeat(40)), 'a'.repeat(9));
  assert.equal(shortRevision('v1.2.0-rc.1'), 'v1.2.0-rc.1');
});

test('an address without a host is its own name', () => {
  assert.equal(hostOf('https://git.example:8443/shop/web/compare/a...b'), 'git.example:8443');
  assert.equal(hostOf('shop/web'), 'shop/web');
});
