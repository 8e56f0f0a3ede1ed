/**
 * Browser and products that the browser tests share.
 *
 *   node e2e/shared.ts <products>
 *
 * prints one line of JSON (`Shared`) when all is ready, and runs until its input ends.
 */
import { join } from 'node:path';
import { argv, stdin, stdout } from 'node:process';
import { serveBrowser } from './browser.ts';
import { startProduct } from './product.ts';

await using stack = new AsyncDisposableStack();
const products = await Promise.all(
  Array.from({ length: Number(argv[2]) }, async () => stack.use(await startProduct())),
);
const browser = await serveBrowser().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  return undefined;
});
if (browser) stack.defer(() => browser.close());
const credentials = products.map(({ dataDir }) => join(dataDir, 'credentials.json'));
stdout.write(`${JSON.stringify({ browser: browser?.wsEndpoint(), credentials })}\n`);
for await (const _ of stdin) {
  // Runs until the test runner ends.
}
