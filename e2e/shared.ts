/**
 * Browser and products that the browser tests share.
 *
 *   node e2e/shared.ts <product>...
 *
 * starts a product for each argument, `demo` or `model`, which a model of ours answers for,
 * prints one line of JSON (`Shared`) when all is ready, and runs until its input ends.
 */
import { join } from 'node:path';
import { argv, stdin, stdout } from 'node:process';
import { serveBrowser } from './browser.ts';
import { modelSettings, startModel } from './model.ts';
import { startProduct } from './product.ts';

await using stack = new AsyncDisposableStack();
const model = stack.use(await startModel());
const products = await Promise.all(
  argv.slice(2).map(async (kind) => stack.use(await startProduct(kind === 'model' ? modelSettings(model) : {}))),
);
const browser = await serveBrowser().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  return undefined;
});
if (browser) stack.defer(() => browser.close());
const credentials = products.map(({ dataDir }) => join(dataDir, 'credentials.json'));
stdout.write(`${JSON.stringify({ browser: browser?.wsEndpoint(), model: model.url, credentials })}\n`);
for await (const _ of stdin) {
  // Runs until the test runner ends.
}
