import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredChunk } from '../corpus/chunk.ts';
import { chunk, found, statement } from '../testing/query-results.ts';
import { compose } from './compose.ts';
import { textsOf } from './excerpts.ts';
import { ground } from './grounding.ts';
import { lexiconOf } from './lexicon.ts';
import { createSplitter } from './sentence-splitter.ts';

const textOf = (chunks: readonly StoredChunk[], query: string): string[] =>
  compose(found(chunks, { query })).sentences.map(({ text }) => text);

const plain = { identifiers: [], packages: [], severity: undefined, ecosystem: undefined, attributes: {} } as const;

/** A section of the installation's own documents. */
const section = (title: string, body: string): StoredChunk =>
  chunk({
    ...plain,
    domain: 'knowledge',
    source: 'docs',
    documentKey: title,
    entityType: 'document',
    entityKey: `document:${title}`,
    title,
    body,
  });

/** Record of a failed deployment. */
const failure = (overrides: Partial<StoredChunk> = {}): StoredChunk =>
  chunk({
    ...plain,
    domain: 'opsmemory',
    source: 'platform',
    documentKey: 'decision/Deployment/1',
    entityType: 'decision',
    entityKey: 'decision:deployment/1',
    title: 'shop 1.1.0 in Production: failed',
    body: [
      'Why it was done: The autumn sale needs it.',
      'Cause: The new version started but never passed its health check. (HealthCheckFailed, probe-failed)',
      'What to do: Read its log and mend the release; the version before it still serves.',
      '2026-01-15 09:04 UTC: failed: The new version started but never passed its health check.',
    ].join('\n'),
    identifiers: ['HealthCheckFailed', 'probe-failed'],
    attributes: { state: 'failed', category: 'HealthCheckFailed', reason: 'probe-failed' },
    ...overrides,
  });

const ASK = [
  '```sh',
  'curl -s -H "Authorization: Bearer $TOKEN" "$BASE/v1/search/query" -d \'{"q": "why did shop 1.1.0 fail"}\'',
  '```',
].join('\n');

test('of a failure its cause is told, why it was done and what to do next, in words and each once', () => {
  const timeline = failure({
    domain: 'timeline',
    documentKey: 'timeline/Deployment/1',
    entityType: 'deployment',
    entityKey: 'deployment:1',
    title: 'Deployment of shop 1.1.0 to Production',
    body: [
      'A deployment of shop 1.1.0 to Production is failed.',
      'It failed: The new version started but never passed its health check.',
    ].join('\n'),
    attributes: { state: 'failed' },
  });
  assert.deepEqual(textOf([failure(), timeline], 'why did shop 1.1.0 fail'), [
    'shop 1.1.0 in Production: failed.',
    'Cause: The new version started but never passed its health check.',
    'Why it was done: The autumn sale needs it.',
    'What to do: Read its log and mend the release; the version before it still serves.',
    'Deployment of shop 1.1.0 to Production: failed.',
  ]);
});

test('what a story says of why is told where no cause is written', () => {
  const undoneDeployment = failure({
    title: 'shop 1.0.1 in Production: rolled back',
    body: [
      '2026-01-15 09:04 UTC: launched',
      '2026-01-15 10:11 UTC: a rollback was asked for: The pictures take four seconds to load.',
    ].join('\n'),
    attributes: { state: 'rolled_back' },
  });
  assert.deepEqual(textOf([undoneDeployment], 'why was shop 1.0.1 rolled back'), [
    'shop 1.0.1 in Production: rolled back.',
    '2026-01-15 10:11 UTC: a rollback was asked for: The pictures take four seconds to load.',
  ]);
});

test('a reason stands in the words of its attributes where nobody wrote others', () => {
  const failedPhase = failure({ body: 'It waits.', attributes: { state: 'failed', reason: 'probe-failed' } });
  assert.deepEqual(textOf([failedPhase], 'shop 1.1.0'), ['shop 1.1.0 in Production: failed.', 'Reason: probe-failed.']);
});

test('commands, tables and headings of a document are no sentences; one that has nothing else is left out', () => {
  const written = `### Query\n\n${ASK}\n\n| a | b |\n|---|---|\n\n* A name goes straight to what has it.\n* A \`--flag\` is prose, too.`;
  assert.deepEqual(textOf([section('Search › Ask', written)], 'name straight'), [
    'Search › Ask: A name goes straight to what has it.',
  ]);
  const other = section('Releases', 'A release is finalized before it is promoted.');
  assert.deepEqual(textOf([section('Search › Ask', ASK), other], 'shop fail'), [
    'Releases: A release is finalized before it is promoted.',
  ]);
  assert.deepEqual(textOf([section('Search › Ask', ASK)], 'shop fail'), ['Search › Ask.']);
});

test('what is on record speaks before what documents say in general', () => {
  const general = section('When a deployment fails', 'When shop 1.1.0 should fail, read its log.');
  assert.equal(textOf([general, failure()], 'why did shop 1.1.0 fail')[0], 'shop 1.1.0 in Production: failed.');
});

test('a document that has more of the question than the record keeps its place', () => {
  const general = section('Signing keys', 'To rotate a signing key, add the new one first.');
  assert.match(textOf([general, failure()], 'rotate a signing key in Production')[0] ?? '', /^Signing keys/);
});

test('whether something is affected is answered by the statement on it first', () => {
  const [first] = textOf([chunk(), statement()], 'is shop affected by RedCloth');
  assert.equal(first, 'VEX: CVE-2023-31606 is not affected for pkg:oci/shop@1.4.2 (vulnerable code not present).');
});

test('a title, a name, a note or a body without an end is told like any other', () => {
  for (const sign of ['\n', '[', '-', ' ', '](', '. ', 'a-', '`', '# ', 'n’']) {
    const long = `${sign.repeat(1_000_000 / sign.length)}end`;
    const odd = chunk({
      title: `RedCloth ${long}`,
      body: long,
      identifiers: ['CVE-2023-31606', long],
      packages: [long],
      ecosystem: long,
      attributes: { fixed: [long], action: long, deep: [[[long]]] },
    });
    const { abstained, sentences } = compose(found([odd], { query: 'RedCloth' }));
    assert.equal(abstained, false);
    assert.ok(sentences.every(({ text }) => text.length < 2_000));
    assert.ok(lexiconOf(textsOf(odd)).has('cve-2023-31606'));
  }
});

test('a model’s text without an end is judged in pieces', () => {
  const citable = new Map([['1', { id: 'a', chunk: chunk() }]]);
  for (const sign of ['\n', '[', '-', ' ', '. [', '.']) {
    const splitter = createSplitter();
    const pieces = [...splitter.push(`a${sign.repeat(64_000)}b`), ...splitter.end()];
    assert.ok(pieces.every((each) => each.length <= 2_400));
    for (const each of pieces) assert.equal(ground(each, citable), undefined);
  }
});
