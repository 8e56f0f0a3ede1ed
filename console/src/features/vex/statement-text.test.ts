import assert from 'node:assert/strict';
import { test } from 'node:test';
import { justificationText, productLines } from './statement-text.ts';

const reference = (name: string | null, purl: string | null = null, hashes: readonly string[] = []) => ({
  name,
  purl,
  hashes,
});

test('a product is named by its package URL, else its name, else a hash', () => {
  const products = [
    reference('gate', 'pkg:npm/gate'),
    reference('image'),
    reference(null, null, ['sha256:ab', 'sha512:cd']),
    reference(null),
  ].map((one) => ({ ...one, subcomponents: [] }));
  assert.deepEqual(
    productLines(products).map(({ product }) => product),
    ['pkg:npm/gate', 'image', 'sha256:ab', ''],
  );
});

test('a statement about some components of a product has a line for each of them', () => {
  const subcomponents = [reference(null, 'pkg:npm/gate'), reference('latch')];
  assert.deepEqual(productLines([{ ...reference('image'), subcomponents }]), [
    { product: 'image', component: 'pkg:npm/gate' },
    { product: 'image', component: 'latch' },
  ]);
});

test('a justification is read as words', () => {
  assert.equal(justificationText('vulnerable_code_not_present'), 'vulnerable code not present');
});
