import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codes } from '@landfall/schema/codes';
import Fastify from 'fastify';
import { registerDocuments } from '../docs/document-pages.ts';
import { CHECKS } from '../doctor/checks.ts';
import { documentChunks } from './documents.ts';
import { readKnowledge } from './knowledge.ts';
import { sectionsOf } from './markdown.ts';

test('a document is parted at its headings, each with the anchor that forges give it', () => {
  const text = [
    '# Landing',
    'What it is.',
    '',
    '## How it `works`',
    'One.',
    '```sh',
    '# no heading',
    '```',
    '### Deeper & deeper',
    'Two.',
    '## How it works',
    'Again.',
    '## Empty',
  ].join('\n');
  assert.deepEqual(
    sectionsOf(text).map(({ anchor, path }) => [anchor, path]),
    [
      ['landing', ['Landing']],
      ['how-it-works', ['Landing', 'How it works']],
      ['deeper--deeper', ['Landing', 'How it works', 'Deeper & deeper']],
      ['how-it-works-1', ['Landing', 'How it works']],
    ],
  );
  assert.match(sectionsOf(text)[1]?.text ?? '', /# no heading/);
});

test('of a table in which things are looked up, each row is found by its name; a short one stays in its text', () => {
  const rows = Array.from(
    { length: 9 },
    (_, index) => `| \`Some:Setting${index}\` | \`SOME_SETTING_${index}\` | Says ${index}. |`,
  );
  const text = ['# Settings', 'Before.', '| Name | Environment | What |', '| --- | --- | --- |', ...rows, '', 'After.'];
  const chunks = documentChunks('docs/settings.md', text.join('\n'));
  assert.equal(chunks.length, 10);
  assert.equal(chunks[0]?.body, 'Before.\n\nAfter.');
  const third = chunks.find(({ identifiers }) => identifiers.includes('Some:Setting3'));
  assert.equal(third?.documentKey, 'docs/settings.md#settings/Some:Setting3');
  assert.equal(third?.title, 'Some:Setting3 (Settings)');
  assert.equal(third?.body, 'Name: `Some:Setting3`\nEnvironment: `SOME_SETTING_3`\nWhat: Says 3.');
  assert.ok(third?.identifiers.includes('SOME_SETTING_3'));
  const short = documentChunks('a.md', ['# A', ...text.slice(2, 6)].join('\n'));
  assert.equal(short.length, 1);
  assert.match(short[0]?.body ?? '', /Some:Setting0/);
});

test('what stands in fences is no prose: of examples only their commands and settings are told', () => {
  const text = [
    '# Search',
    'Misspelt words are found; see `LANDFALL_SEARCH_VECTORS`, not `1.1.0` and not `shop@1.1.0`.',
    '```sh',
    'LANDFALL_PORT=4100 npm start',
    'npm run landfall -- search import advisories/ --tenant acme',
    'curl "$BASE/v1/search/query" -d \'{"q": "prototipe polution"}\'',
    '```',
    'After.',
  ];
  const [chunk] = documentChunks('a.md', text.join('\n'));
  assert.match(
    chunk?.body ?? '',
    /^Misspelt words.*\nAfter\.\n\nIn its examples: `landfall search import`, `LANDFALL_PORT`\.$/s,
  );
  assert.doesNotMatch(chunk?.body ?? '', /polution|advisories\//);
  assert.deepEqual(chunk?.identifiers, ['LANDFALL_SEARCH_VECTORS', 'landfall search import', 'LANDFALL_PORT']);
});

// spec: 2.8/legacy-rebuild-response
test('the installation says of itself: its documents, both OpenAPI documents with the authority’s seven, every check', async () => {
  const { documents, apiSpecCount, operations, checks } = await readKnowledge();
  assert.equal(apiSpecCount, 2);
  assert.equal(operations.filter(({ documentKey }) => documentKey.startsWith('authority ')).length, 7);
  assert.deepEqual(
    checks.map(({ documentKey }) => documentKey),
    CHECKS.map(({ id }) => id),
  );
  const all = [...documents, ...operations, ...checks];
  assert.equal(new Set(all.map(({ source, documentKey }) => `${source}:${documentKey}`)).size, all.length);
  assert.ok(all.every(({ domain, body, title }) => domain === 'knowledge' && body !== '' && title !== ''));
  const found = (name: string) => all.filter(({ identifiers }) => identifiers.includes(name));
  assert.ok(found('LANDFALL_DATA_DIR').some(({ documentKey }) => documentKey.startsWith('README.md#')));
  assert.ok(found('/token').some(({ entityType }) => entityType === 'operation'));
  for (const code of Object.keys(codes).filter((name) => name.startsWith('DEPLOY_')))
    assert.ok(found(code).length > 0, code);
});

test('each document is served as it is where its pieces say that it is, and nothing beside them', async () => {
  const app = Fastify();
  await registerDocuments(app);
  const { documents } = await readKnowledge();
  for (const uri of new Set(documents.map((document) => document.uri?.split('#')[0] ?? ''))) {
    const { statusCode, headers, body } = await app.inject(uri);
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/plain; charset=utf-8'], uri);
    assert.match(body, /^# /m);
  }
  for (const uri of [
    '/docs/text/package.json',
    '/docs/text/docs/../package.json',
    '/docs/text/docs/%2e%2e/package.json',
  ])
    assert.equal((await app.inject(uri)).statusCode, 404);
});
