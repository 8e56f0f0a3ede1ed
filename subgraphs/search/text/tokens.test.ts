import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { merged, type Range } from '../query/snippets.ts';
import { type QueryWord, tokensWithRanges, wordsOf } from './tokens.ts';

const keyOf = (kind: QueryWord['kind'], term: string): string => `${kind}:${term}`;

/** Ranges of a text that the words of a query match. */
const matcherOf = (tokens: readonly QueryWord[]): ((text: string) => Range[]) => {
  const expected = new Set(tokens.flatMap(({ kind, terms }) => terms.map((term) => keyOf(kind, term))));
  return (text) =>
    merged(
      tokensWithRanges(text)
        .filter(({ kind, term }) => expected.has(keyOf(kind, term)))
        .map(({ start, end }): Range => [start, end]),
    );
};

const termsOf = (text: string, kind?: 'identifier' | 'name' | 'word'): string[] =>
  tokensWithRanges(text)
    .filter((token) => kind === undefined || token.kind === kind)
    .map(({ term }) => term);

const highlight = (query: string, text: string): string[] =>
  matcherOf(wordsOf(query))(text).map(([start, end]) => text.slice(start, end));

test('identifiers are one term, and are split as well', () => {
  for (const id of [
    'CVE-2021-44228',
    'GHSA-jfh8-c2jp-5v3q',
    'GO-2022-0001',
    'RUSTSEC-2021-0001',
    'PYSEC-2021-19',
    'RHSA-2021:1234',
    'OSV-2020-111',
    'CWE-79',
    'OSVDB-104365',
    '0190f3c2-1111-7222-8333-0123456789ab',
  ]) {
    assert.deepEqual(termsOf(`see ${id}.`, 'identifier')[0], id.toLowerCase(), id);
    assert.deepEqual(termsOf(`(${id})`, 'identifier')[0], id.toLowerCase(), id);
  }
  assert.deepEqual(termsOf('CVE-2021-44228', 'word'), ['cve', '2021', '44228']);
  assert.deepEqual(termsOf('fixes/CVE-2021-44228.patch', 'identifier'), ['cve-2021-44228']);
});

test('digests are known by their value, commits by their digits', () => {
  assert.deepEqual(termsOf('sha256:3F5A8B9C1D2E0011')[0], '3f5a8b9c1d2e0011');
  assert.deepEqual(termsOf('registry.example/app@sha256:3f5a8b9c1d2e0011', 'identifier')[0], '3f5a8b9c1d2e0011');
  assert.deepEqual(termsOf('at 3f5a8b9c1d2e', 'identifier'), ['3f5a8b9c1d2e']);
  assert.deepEqual(termsOf('123456789012 accommodated', 'identifier'), []);
});

test('package URLs are terms with and without their version, and their name is one', () => {
  assert.deepEqual(termsOf('pkg:npm/%40babel/core@7.1.2?arch=x#sub', 'identifier'), [
    'pkg:npm/@babel/core',
    'pkg:npm/@babel/core@7.1.2',
  ]);
  assert.ok(termsOf('pkg:npm/%40babel/core@7.1.2', 'name').includes('babel/core'));
  assert.ok(termsOf('pkg:npm/%40babel/core@7.1.2', 'name').includes('7.1.2'));
});

test('names are one term and their parts others; what joins words is not', () => {
  assert.deepEqual(termsOf('org.apache.logging.log4j:log4j-core', 'name'), [
    'org.apache.logging.log4j:log4j-core',
    'org.apache.logging.log4j',
    'log4j-core',
  ]);
  assert.deepEqual(termsOf('sanitize_html', 'name'), ['sanitize-html']);
  assert.ok(termsOf('https://github.com/owner/name', 'name').includes('owner/name'));
  assert.deepEqual(termsOf('v1.2.3-beta', 'name'), ['1.2.3-beta', '1.2']);
  assert.deepEqual(termsOf('well. Then: fine - @ok'), ['well', 'fine', 'ok']);
});

test('capitals inside a word begin words of their own', () => {
  assert.deepEqual(termsOf('HttpServletRequest'), ['httpservletrequest', 'http', 'servlet', 'request']);
  assert.deepEqual(termsOf('XMLParser'), ['xmlparser', 'xml', 'parser']);
  assert.deepEqual(termsOf('JavaScript'), ['javascript']);
});

test('forms of a word have one stem; words that only look alike do not', () => {
  const isOne = (...text: string[]): boolean => new Set(text.flatMap((word) => termsOf(word))).size === 1;
  assert.ok(isOne('inject', 'injects', 'injected', 'injecting', 'injection', 'injections'));
  assert.ok(isOne('traversal', 'traverse', 'traversing'));
  assert.ok(isOne('sanitize', 'sanitization', 'sanitized'));
  assert.ok(isOne('authenticate', 'authentication', 'authenticated'));
  assert.ok(isOne('cache', 'caches', 'cached', 'caching'));
  assert.ok(isOne('vulnerability', 'vulnerabilities'));
  assert.ok(isOne('crash', 'crashes', 'crashed'));
  assert.ok(!isOne('class', 'clause'));
  assert.ok(!isOne('session', 'sesame'));
});

test('letters of every script count; accents and widths do not', () => {
  assert.deepEqual(termsOf('Café ＦＵＬＬ ﬁne Straße Łódź'), ['cafe', 'full', 'fine', 'strass', 'lodz']);
  assert.deepEqual(termsOf('уязвимость'), ['уязвимость']);
  assert.deepEqual(termsOf('漏洞利用'), ['漏洞', '洞利', '利用']);
  assert.deepEqual(termsOf('취약점'), ['취약점']);
  assert.deepEqual(termsOf('सुरक्षा'), ['सुरक्षा']);
});

test('stop words are no terms', () => {
  assert.deepEqual(termsOf('this is the one that will not be of any use'), ['one', 'use']);
});

test('places are in the text as it was given, whatever folding made of it', () => {
  assert.deepEqual(highlight('cafe naïve', 'Un Café naïf, naïve'), ['Café', 'naïve']);
  assert.deepEqual(highlight('fine', 'a ﬁne ﬁnesse'), ['ﬁne']);
  assert.deepEqual(highlight('strasse', 'Die Straße.'), ['Straße']);
  assert.deepEqual(highlight('漏洞', '新漏洞利用'), ['漏洞']);
});

test('what a query’s word stands for is found in a text in all its forms', () => {
  assert.deepEqual(highlight('injections', 'SQL injection injects injected SQL'), ['injection', 'injects', 'injected']);
  assert.deepEqual(highlight('cve-2021-44228', 'Of CVE-2021-44228, CVE-2021-44229'), ['CVE-2021-44228']);
  assert.deepEqual(highlight('log4j-core', 'log4j:log4j-core'), ['log4j', 'log4j-core']);
  assert.deepEqual(matcherOf([{ word: 'overflw', kind: 'word', terms: ['overflow'], weight: 1 }])('Overflows'), [
    [0, 9],
  ]);
});

test('ranges are in order, within the text and apart, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      let last = 0;
      for (const [start, end] of matcherOf(wordsOf(text))(text)) {
        assert.ok(start >= last && end > start && end <= text.length);
        last = end;
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a text is found by any of its own words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const all = matcherOf(wordsOf(text))(text);
      for (const { start, end } of tokensWithRanges(text))
        assert.ok(all.some(([from, to]) => from <= start && end <= to));
    }),
    { numRuns: 1_000 },
  );
});
