import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siteName } from './site-name.ts';

const ID = '01a21ebc-0000-7000-8000-00000000aaaa';

test('a site has the name that it was added by, and one that is not known the ends of its id', () => {
  assert.equal(siteName(ID, [{ siteId: ID, name: 'Plant 7' }]), 'Plant 7');
  assert.equal(siteName(ID, []), '01a21ebc…aaaa');
});
