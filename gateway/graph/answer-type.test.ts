import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerType } from './answer-type.ts';

const JSON_TYPE = 'application/json';
const GRAPHQL = 'application/graphql-response+json';

test('the graph answers in the type that the caller likes best, in JSON where it says nothing', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['Application/JSON; charset=utf-8', JSON_TYPE],
    ['text/html, application/xhtml+xml, */*;q=0.8', JSON_TYPE],
    ['text/event-stream, application/json', JSON_TYPE],
    ['multipart/mixed, application/json;q=0.1', JSON_TYPE],
    [GRAPHQL, GRAPHQL],
    [`${GRAPHQL}, application/json`, GRAPHQL],
    [`application/json, ${GRAPHQL}`, JSON_TYPE],
    [`application/json;q=0.5, ${GRAPHQL};q=0.9`, GRAPHQL],
    [`*/*, ${GRAPHQL}`, GRAPHQL],
    ['*/*, application/json;q=0', GRAPHQL],
  ];
  for (const [accept, type] of cases) assert.equal(answerType(accept), type, accept ?? 'no header');
});

test('a caller that takes none of the graph’s types gets none', () => {
  const refused = [
    'text/event-stream',
    'text/html',
    'image/*',
    'application/jsonp',
    'application/json;q=0',
    '*/*;q=0',
    'application/*;q=0, text/html',
    'application/json;q=much',
    ',',
  ];
  for (const accept of refused) assert.equal(answerType(accept), undefined, accept);
});
