import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foundOf } from './legacy-search.ts';

test('results of the legacy search are cards, and what is no result is left out', () => {
  const { cards, durationMs } = foundOf({
    results: [
      { id: 'doc:1', title: 'Roll back', snippet: 'How to.', kind: 'document', score: 2, href: '/docs/rollback' },
      { id: 'doc:2', title: 'Elsewhere', href: 'https://elsewhere.example' },
      { id: 'doc:3', title: 'Elsewhere too', href: '//elsewhere.example' },
      { title: 'Without an id' },
      null,
    ],
    diagnostics: { mode: 'fts-only', durationMs: 3 },
  });
  assert.equal(durationMs, 3);
  assert.deepEqual(
    cards.map(({ entityKey, title, summary, href }) => ({ entityKey, title, summary, href })),
    [
      { entityKey: 'doc:1', title: 'Roll back', summary: 'How to.', href: '/docs/rollback' },
      { entityKey: 'doc:2', title: 'Elsewhere', summary: '', href: undefined },
      { entityKey: 'doc:3', title: 'Elsewhere too', summary: '', href: undefined },
    ],
  );
});

test('a body of another shape finds nothing', () => {
  for (const body of [null, 'text', [], {}, { results: {} }]) assert.deepEqual(foundOf(body).cards, []);
});
