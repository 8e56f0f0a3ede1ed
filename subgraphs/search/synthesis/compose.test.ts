import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';
import { chunk, found, statement } from '../testing/query-results.ts';
import { compose } from './compose.ts';
import { textsOf } from './excerpts.ts';
import { isContent, lexiconOf, wordsOf } from './lexicon.ts';

test('an advisory is told with its severity, its packages, its fix and its VEX statement, each with its chunk', () => {
  const { abstained, sentences, coverage } = compose(found([chunk(), statement()]));
  assert.equal(abstained, false);
  assert.equal(coverage, 1);
  assert.deepEqual(sentences, [
    {
      text: 'CVE-2023-31606: RedCloth Regular Expression Denial of Service issue.',
      citations: ['osv:CVE-2023-31606'],
    },
    {
      text: 'VEX: CVE-2023-31606 is not affected for pkg:oci/shop@1.4.2 (vulnerable code not present).',
      citations: ['openvex:acme/1'],
    },
    { text: 'It lets attackers cause a denial of service.', citations: ['osv:CVE-2023-31606'] },
    {
      text: 'CVE-2023-31606 has severity high and affects RedCloth (RubyGems).',
      citations: ['osv:CVE-2023-31606'],
    },
    { text: 'CVE-2023-31606 is fixed in 4.3.3.', citations: ['osv:CVE-2023-31606'] },
  ]);
});

test('a query that names one thing is answered from that thing alone', () => {
  const other = chunk({
    documentKey: 'CVE-2',
    entityKey: 'vulnerability:CVE-2',
    title: 'Another',
    identifiers: ['CVE-2'],
  });
  const exact = found([chunk()], { query: 'CVE-2023-31606', lane: 'identifier' });
  const both = found([chunk(), other]);
  const cited = compose({ ...both, cards: [...exact.cards, ...both.cards.slice(1)], query: 'CVE-2023-31606' });
  assert.ok(cited.sentences.every(({ citations }) => citations.every((id) => id === 'osv:CVE-2023-31606')));
});

test('policies and things of the platform are told with their verdict, state and reasons', () => {
  const policy = chunk({
    domain: 'policy',
    source: 'kyverno',
    documentKey: 'require-digest',
    entityType: 'policy',
    entityKey: 'policy:kyverno/require-digest',
    title: 'Images by digest',
    body: 'Requires images by digest.',
    identifiers: ['require-digest'],
    packages: [],
    severity: undefined,
    attributes: { verdict: 'deny', state: 'enabled' },
  });
  const release = chunk({
    domain: 'release',
    source: 'platform',
    documentKey: 'Release/1',
    entityType: 'release',
    entityKey: 'release:1',
    title: 'Release shop 1.4.2',
    body: 'Images by digest.',
    severity: undefined,
    attributes: { status: 'on_hold', reasons: ['a reachable critical finding'] },
  });
  assert.deepEqual(
    compose(found([policy, release], { query: 'images by digest' })).sentences.map(({ text }) => text),
    [
      'Policy: Images by digest: Requires images by digest.',
      'Verdict of Images by digest: deny.',
      'State of Images by digest: enabled.',
      'Release shop 1.4.2: on hold.',
      'Reason: a reachable critical finding.',
    ],
  );
});

test('it abstains where nothing speaks to the question, and says what is missing and what to try', () => {
  const otherUsers = compose(found([chunk()], { query: 'CVE-2099-99999 RedCloth' }));
  assert.equal(otherUsers.abstained, true);
  assert.deepEqual(otherUsers.sentences.at(0), { text: 'No document names “CVE-2099-99999”.', citations: [] });
  assert.deepEqual(otherUsers.sentences.at(1)?.citations, ['osv:CVE-2023-31606']);
  assert.match(otherUsers.sentences.at(2)?.text ?? '', /^Check the spelling/);

  const poor = compose(found([chunk()], { query: 'RedCloth quantum teapot', coverage: 0.3 }));
  assert.equal(poor.abstained, true);
  assert.equal(poor.sentences[0]?.text, 'No document names “quantum” and “teapot”.');

  const nothing = compose(found([], { query: 'quantum', coverage: 0 }));
  assert.deepEqual(
    nothing.sentences.map(({ text }) => text),
    ['No document names “quantum”.', 'Try fewer words, an identifier such as a CVE, or the name of a package.'],
  );
});

test('one document alone needs more of the question than two that agree', () => {
  const half = { query: 'RedCloth denial', coverage: 0.6 };
  const other = chunk({ documentKey: 'CVE-2', entityKey: 'vulnerability:CVE-2', identifiers: ['CVE-2'] });
  assert.equal(compose(found([chunk()], half)).abstained, true);
  assert.equal(compose(found([chunk(), other], half)).abstained, false);
  assert.equal(compose(found([chunk()], { ...half, coverage: 0.8 })).abstained, false);
});

const phrase = fc.string({ unit: fc.constantFrom(...'abc dE.:-_/@0129é漢>=\n'), maxLength: 60 });
const names = fc.array(phrase, { maxLength: 4 });
const anyChunk = fc
  .record({
    domain: fc.constantFrom(...DOMAINS),
    entityType: fc.constantFrom(...ENTITY_TYPES),
    documentKey: fc.string({ minLength: 1 }),
    entityKey: fc.constantFrom('a', 'b', 'c', 'd'),
    title: phrase,
    body: fc.lorem({ mode: 'sentences', maxCount: 4 }),
    identifiers: names,
    packages: names,
    severity: fc.constantFrom(...SEVERITIES),
    ecosystem: phrase,
    attributes: fc.record({ fixed: names, status: phrase, justification: phrase, verdict: phrase, reasons: names }),
  })
  .map(chunk);

/** Frame words of sentences. */
const FRAME = new Set(
  `severity affects fixed listed exploited since required action due vex policy verdict state reason others`.split(' '),
);

test('every fact of every sentence stands in the chunks that the sentence cites', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 8 }), phrase, (chunks, query) => {
      const all = found(chunks, { query });
      const { abstained, sentences } = compose(all);
      for (const { text, citations } of sentences) {
        if (abstained && citations.length === 0) continue;
        assert.ok(citations.length > 0, text);
        const cited = citations.flatMap((id) => all.chunks.get(id) ?? []);
        assert.equal(cited.length, citations.length);
        const lexicon = lexiconOf(cited.flatMap(textsOf));
        const frame = abstained ? new Set(['nearest', 'document']) : FRAME;
        const unknown = wordsOf(text).filter((word) => isContent(word) && !frame.has(word) && !lexicon.has(word));
        // A name that was cut ends in an ellipsis: its beginning stands in the chunk.
        assert.deepEqual(text.includes('…') ? [] : unknown, [], text);
      }
    }),
  );
});

test('the same documents give the same answer', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 8 }), phrase, (chunks, query) => {
      assert.deepEqual(compose(found(chunks, { query })), compose(found(chunks, { query })));
    }),
  );
});
