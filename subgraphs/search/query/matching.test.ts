import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { QueryWord } from '../text/tokens.ts';
import { wordsOf } from '../text/tokens.ts';
import { matcherOf } from './matching.ts';

const piece = fc.constantFrom(
  'policies',
  'policy',
  'running',
  'fromJSON',
  'HTTPServer',
  'log4j-core',
  'log4j_core',
  'v1.2.3',
  '1.2',
  '2.17.1-beta',
  'CVE-2021-44228',
  'ghsa-jfh8-c2jp-5v3q',
  'pkg:npm/%40angular/core@1.2.3',
  '@angular/core',
  'github.com/owner/name',
  'org.apache:log4j',
  'std::vector',
  'sha256:0123456789abcdef0123',
  'x',
  'I',
  'the',
  'dies',
  '(overflow)',
  '"quoted"',
  'a,b;c',
);

const text = fc
  .array(fc.tuple(fc.oneof(piece, fc.string({ maxLength: 8 })), fc.constantFrom(' ', '\n', '\t', ', ', '. ', '')), {
    maxLength: 30,
  })
  .map((pieces) => pieces.flat().join(''));

const tokens = fc.array(text, { minLength: 1, maxLength: 2 }).map((texts): QueryWord[] => wordsOf(texts.join(' ')));

describe('matching', () => {
  it('reads only where a term may begin, and finds what reading everything finds', () => {
    fc.assert(
      fc.property(text, tokens, (given, questions) => {
        const matches = matcherOf(questions);
        // A text with a non-ASCII character takes the slow path; 'й' is no word of any of these queries.
        const complete = matches(`${given} й`).filter(({ end }) => end <= given.length);
        assert.deepEqual(matches(given), complete);
      }),
      { numRuns: 500 },
    );
  });

  it('finds a word by its stem, a part by its capital, and a version behind its v', () => {
    const text = 'Policies of parseJSON since v1.2.3';
    const found = matcherOf(wordsOf('policy json 1.2.3'))(text).map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(found, ['Policies', 'JSON', '1.2.3']);
  });
});
