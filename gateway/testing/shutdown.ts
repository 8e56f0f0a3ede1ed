import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { bearer } from './people.ts';
import { type Product, startProduct } from './start.ts';

type Headers = Readonly<Record<string, string>>;

/** A request of which the server has read the headers and waits for the body. */
const begin = async ({ baseUrl }: Product, headers: Headers): Promise<ClientRequest> => {
  const expecting = { 'content-type': 'application/json', expect: '100-continue', ...headers };
  const request = httpRequest(`${baseUrl}/graphql`, { method: 'POST', headers: expecting });
  request.flushHeaders();
  await once(request, 'continue');
  return request;
};

/** Tests the end of the product in a run mode by SIGTERM. */
export const testShutdown = (mode: Product['mode']): void => {
  test(`${mode}: a process that is told to end answers what it has begun, ends its streams and says that all went well`, async () => {
    await using product = await startProduct(mode);
    const { headers } = await bearer(product, 'outages');
    const stream = await fetch(`${product.baseUrl}/changes`, { headers });
    const request = await begin(product, headers);
    const exited = product.processes.map(async ({ child }) => {
      const [code] = await once(child, 'exit');
      return code;
    });
    const reading = stream.text();
    for (const { child } of product.processes.toReversed()) child.kill('SIGTERM');
    request.end('{"query":"{ me { tenant } }"}');
    const [answer] = await once(request, 'response');
    assert.equal(answer.statusCode, 200);
    assert.match(await reading, /^retry: /);
    assert.deepEqual(
      await Promise.all(exited),
      product.processes.map(() => 0),
      product.processes
        .map(({ output }) =>
          output()
            .split('\n')
            .filter((line) => /"level":"(warn|error)"/.test(line))
            .join('\n'),
        )
        .join('\n'),
    );
  });
};
