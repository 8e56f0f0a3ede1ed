import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFolderOrder, checkOrderedFolders } from './folder-order.ts';

const orders = {
  'subgraphs/shop': { order: ['goods', 'orders'], hasPrivateStores: true },
  'console/src/features': { order: 'apart' },
} as const;

const messages = (file: string, specifier: string): string[] =>
  checkFolderOrder([{ file, text: `import { x } from '${specifier}';\n` }], orders).map(({ message }) => message);

const allowed = [
  ['subgraphs/shop/orders/orders.ts', '../goods/goods.ts'],
  ['subgraphs/shop/orders/orders.ts', './orders.store.ts'],
  ['subgraphs/shop/orders/lines/lines.ts', '../orders.store.ts'],
  ['subgraphs/shop/index.ts', './orders/orders.ts'],
  ['subgraphs/shop/orders/resolvers.ts', '../context.ts'],
  ['subgraphs/shop/goods/goods.test.ts', '../orders/orders.ts'],
  ['subgraphs/shop/goods/goods.ts', '@landfall/kernel/db/sql'],
] as const;

for (const [file, specifier] of allowed)
  test(`${file} may import ${specifier}`, () => assert.deepEqual(messages(file, specifier), []));

const refused = [
  ['subgraphs/shop/goods/goods.ts', '../orders/orders.ts', /goods is below subgraphs\/shop\/orders/],
  ['subgraphs/shop/goods/goods.ts', '../index.ts', /below the files of subgraphs\/shop itself/],
  ['subgraphs/shop/bills/bills.ts', '../goods/goods.ts', /no place in the order/],
  ['subgraphs/shop/orders/orders.ts', '../goods/goods.store.ts', /keeps its store to itself/],
  ['console/src/features/inbox/a.ts', '../today/b.ts', /inbox may not import console\/src\/features\/today/],
] as const;

for (const [file, specifier, message] of refused)
  test(`${file} may not import ${specifier}`, () => assert.match(messages(file, specifier).join(), message));

test('an order of a folder that is not there is refused', () => {
  const found = checkOrderedFolders([{ file: 'subgraphs/shop/goods/goods.ts' }], orders);
  assert.deepEqual(
    found.map(({ message }) => message),
    ['there is no folder subgraphs/shop/orders', 'there is no folder console/src/features'],
  );
});
