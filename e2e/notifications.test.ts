// Notifications as people manage them: a channel is added and tested. The full run has the rest.
import { after, before } from 'node:test';
import { testChannel } from './notifications.fixture.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

testChannel(() => product);
