import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { openGraph } from './browser.ts';

const overloaded = () =>
  Response.json(
    { errors: [{ message: 'No database connection became free in time.', extensions: { code: 'SYS_OVERLOADED' } }] },
    { status: 503, headers: { 'retry-after': '0' } },
  );

const openAnswers = (answers: readonly Response[]) => {
  const left = [...answers];
  const send = async (): Promise<Response> => left.shift() ?? assert.fail('asked once too often');
  return openGraph('http://127.0.0.1', { send, csrf: 'of the test' });
};

const Name = Type.Object({ name: Type.String() });

test('a product that is at capacity is asked again, as it says', async () => {
  const graph = openAnswers([overloaded(), overloaded(), Response.json({ data: { name: 'shop' } })]);
  assert.deepEqual(await graph.ask('{ name }', {}, Name), { name: 'shop' });
});

test('any other refusal is an error with its code, and nothing is sent again', async () => {
  const refused = Response.json({ errors: [{ message: 'No.', extensions: { code: 'RES_CONFLICT' } }] });
  await assert.rejects(openAnswers([refused]).ask('{ name }', {}, Name), /^Error: RES_CONFLICT: No\.$/);
});
