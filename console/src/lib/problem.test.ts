import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { ServerError } from '@apollo/client/errors';
import { problemOf, problemOfAnswer } from './problem.ts';

test('a request whose cookies are too long for the server is named as that, and not as a server out of reach', async () => {
  await using server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const headers = { cookie: `a=${'x'.repeat(24_700)}` };
  const response = await fetch(`http://127.0.0.1:${port}/session`, { headers });
  const bodyText = await response.text();
  const { code, message } = problemOf(new ServerError('', { response, bodyText }));
  assert.equal(code, 'HTTP_431');
  assert.match(message, /^The cookies .* Delete them/);
  assert.deepEqual(problemOfAnswer(response.status, bodyText).message, message);
});

test('what has no answer at all is out of reach', () => {
  assert.equal(problemOf(new TypeError('fetch failed')).code, 'NETWORK');
});

test('the details of a refusal are kept, and those that are none are left out', () => {
  const refused = (details: unknown) =>
    problemOfAnswer(409, JSON.stringify({ error: { code: 'RES_CONFLICT', message: 'In use.', details } })).details;
  assert.deepEqual(refused({ targets: [{ id: 't1' }] }), { targets: [{ id: 't1' }] });
  assert.equal(refused(null), undefined);
  assert.equal(refused('targets'), undefined);
});
