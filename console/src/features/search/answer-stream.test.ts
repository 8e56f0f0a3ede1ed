import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { test } from 'node:test';
import { AnswerRefused, readAnswer } from './answer-stream.ts';

async function serve(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}/v1/search/synthesize`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const QUESTION = { q: 'log4j', k: 10, sessionId: 's' } as const;
const running = () => new AbortController().signal;

test('each event is told by its name as it comes, and what is no JSON is left out', async () => {
  let requestedUrl = '';
  await using server = await serve((request, answer) => {
    request.setEncoding('utf8').on('data', (piece: string) => {
      requestedUrl += piece;
    });
    request.on('end', () => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write('event: synthesis_start\ndata: {"query":"log4j","cardCount":1}\n\n: beat\n\n');
      answer.end('event: llm_chunk\ndata: no json\n\nevent: synthesis_end\ndata: {"durationMs":2}\n\n');
    });
  });
  const events: unknown[] = [];
  await readAnswer(QUESTION, running(), (name, data) => events.push([name, data]), fetch, server.url);
  assert.deepEqual(JSON.parse(requestedUrl), QUESTION);
  assert.deepEqual(events, [
    ['synthesis_start', { query: 'log4j', cardCount: 1 }],
    ['synthesis_end', { durationMs: 2 }],
  ]);
});

test('a refusal is told in the words of the server', async () => {
  await using server = await serve((_, answer) =>
    answer.writeHead(403).end('{"error":"Missing required scope: search:synthesize"}'),
  );
  await assert.rejects(
    readAnswer(QUESTION, running(), () => {}, fetch, server.url),
    (error) => {
      assert.ok(error instanceof AnswerRefused);
      assert.equal(error.problem.code, 'HTTP_403');
      assert.equal(error.problem.message, 'Missing required scope: search:synthesize');
      return true;
    },
  );
});

test('a refusal that is a code is a code', async () => {
  await using server = await serve((_, answer) =>
    answer.writeHead(400).end('{"error":"advisoryai.validation.query_too_long"}'),
  );
  await assert.rejects(
    readAnswer(QUESTION, running(), () => {}, fetch, server.url),
    {
      problem: {
        code: 'advisoryai.validation.query_too_long',
        message: 'advisoryai.validation.query_too_long',
        fields: [],
        answered: true,
      },
    },
  );
});

test('the signal ends the reading, and the server sees it', async () => {
  const stop = new AbortController();
  const remaining = Promise.withResolvers<void>();
  await using server = await serve((_, answer) => {
    answer.writeHead(200).write('event: synthesis_start\ndata: {}\n\n');
    answer.on('close', remaining.resolve);
  });
  await assert.rejects(
    readAnswer(QUESTION, stop.signal, () => stop.abort(), fetch, server.url),
    { name: 'AbortError' },
  );
  await remaining.promise;
});
