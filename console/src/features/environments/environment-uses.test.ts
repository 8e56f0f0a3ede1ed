import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usesIn } from './environment-uses.ts';

const refusal = { code: 'RES_CONFLICT', message: 'This environment is in use.', fields: [], answered: true };

test('the refusal of a removal names what uses the environment', () => {
  const details = {
    targets: [{ id: 't1', name: 'web-1' }],
    products: [{ id: 'p1', name: 'books' }],
    promotions: [{ id: 'x1', name: 'books 1.0.0' }],
  };
  assert.deepEqual(usesIn({ ...refusal, details }), details);
});

test('kinds that the refusal does not name, and values that have no name, are left out', () => {
  const details = { targets: [{ id: 't1' }, null, { id: 't2', name: 'web-2' }], products: 'books' };
  assert.deepEqual(usesIn({ ...refusal, details }), {
    targets: [{ id: 't2', name: 'web-2' }],
    products: [],
    promotions: [],
  });
});

test('a removal that is refused for another reason names nothing', () => {
  assert.equal(usesIn(refusal), undefined);
  assert.equal(usesIn({ ...refusal, code: 'RES_VERSION_CONFLICT', details: { expected: 1 } }), undefined);
});
