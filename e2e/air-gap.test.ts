// The air gap and the store of evidence as people use them: a seal after its preflight, what it blocks, and a legal hold.
// The full run has what is around them.
import { after, before } from 'node:test';
import { testHold, testSeal } from './air-gap.fixture.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

testSeal(() => product);
testHold(() => product);
