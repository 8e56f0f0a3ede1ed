import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '@landfall/kernel/testing/until';
import { bearer } from '../testing/people.ts';
import { modes, type Product, sharedProduct } from '../testing/start.ts';

const MEBIBYTE = 1024 * 1024;

/** Pieces of a CycloneDX document of at least so many bytes. */
function* largeBom(bytes: number): Generator<Buffer> {
  yield Buffer.from('{"bomFormat":"CycloneDX","specVersion":"1.5","components":[');
  const component = (n: number) =>
    JSON.stringify({ type: 'library', name: `part-${n}`, description: 'x'.repeat(2_000) });
  let [n, sent] = [0, 0];
  for (; sent < bytes; n++) {
    const piece = Buffer.from(`${n === 0 ? '' : ','}${component(n)}`);
    sent += piece.length;
    yield piece;
  }
  yield Buffer.from(']}');
}

const submit = async ({ baseUrl }: Product, given: RequestInit) => {
  const response = await fetch(`${baseUrl}/api/v1/scans`, { method: 'POST', duplex: 'half', ...given });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

for (const mode of modes) {
  test(`${mode}: a large bill of materials streams to the scanner and is scanned by its worker`, async () => {
    await using product = await sharedProduct(mode);
    const { headers } = await bearer(product, 'scans');
    const accepted = await submit(product, { headers, body: ReadableStream.from(largeBom(20 * MEBIBYTE)) });
    assert.equal(accepted.status, 202);
    const scan = await until(async () => {
      const response = await fetch(product.baseUrl + accepted.body.statusUrl, { headers });
      const read = JSON.parse(await response.text());
      return read.status === 'completed' ? read : undefined;
    });
    assert.deepEqual([scan.score, scan.findingCount], [null, 0]);
  });

  test(`${mode}: a bill of materials beyond 256 MiB is refused with 413, also where it is packed`, async () => {
    await using product = await sharedProduct(mode);
    const { headers } = await bearer(product, 'scans');
    const document = Buffer.alloc(257 * MEBIBYTE, ' ');
    document.write('{');
    const { status, body } = await submit(product, { headers, body: gzipSync(document) });
    assert.deepEqual([status, body.code], [413, 'VAL_TOO_LONG']);
  });
}
