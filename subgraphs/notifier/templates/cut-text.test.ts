import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutBytes, cutText } from './cut-text.ts';
import { bidiClosers, ESCAPES } from './escape.ts';

const MARKER = '… (truncated)';
const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

const text = fc.string({ unit: 'grapheme-composite', maxLength: 200 });

test('a cut text is within its limit, well formed, marked, and a prefix by whole graphemes', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 20, max: 150 }), (whole, most) => {
      const cut = cutText(whole, most, MARKER);
      if (whole.length <= most) return cut === whole;
      const head = cut.slice(0, -MARKER.length);
      return (
        cut.length <= most &&
        cut.isWellFormed() &&
        cut.endsWith(MARKER) &&
        graphemes(head).every((each, index) => graphemes(whole)[index] === each)
      );
    }),
    { numRuns: 2_000 },
  );
});

test('a cut in bytes is within its limit', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 20, max: 150 }), (whole, most) => {
      const cut = cutBytes(whole, most, MARKER);
      return Buffer.byteLength(cut) <= most && cut.isWellFormed();
    }),
  );
});

test('an emoji of several code points, a flag and a base with its marks are kept or left out whole', () => {
  for (const grapheme of ['👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '각']) {
    const whole = `${'x'.repeat(30)}${grapheme.repeat(30)}`;
    for (let most = 45; most < 75; most++) {
      const rest = cutText(whole, most, MARKER).slice(30, -MARKER.length);
      assert.equal(rest, grapheme.repeat(rest.length / grapheme.length), `${grapheme} ${most}`);
    }
  }
});

test('a grapheme of thousands of marks is cut all the same', () => {
  const cut = cutText(`a${'\u0301'.repeat(5_000)}`, 100, MARKER);
  assert.equal(cut.length, 100);
});

test('escaped text is cut neither inside an entity nor inside a link', () => {
  const whole = ESCAPES.mrkdwn('a < b && c > d '.repeat(20));
  for (let most = 20; most < 120; most++) {
    const head = cutText(whole, most, MARKER, { isMarkup: true }).slice(0, -MARKER.length);
    assert.doesNotMatch(head.replaceAll(/&(?:amp|lt|gt);/g, ''), /[&<>]/);
  }
  const link = `${'x'.repeat(30)}<https://landfall.example/a|Open>${'y'.repeat(50)}`;
  assert.equal(cutText(link, 60, MARKER, { isMarkup: true }), `${'x'.repeat(30)}${MARKER}`);
});

test('right-to-left text stays as it is, and what opens a direction is closed before the marker', () => {
  const hebrew = 'שלום עולם '.repeat(20);
  assert.ok(hebrew.startsWith(cutText(hebrew, 60, MARKER).slice(0, -MARKER.length)));
  const isolated = `\u2067${hebrew}\u2069`;
  const cut = cutText(isolated, 60, MARKER);
  assert.ok(cut.length <= 60);
  assert.ok(cut.endsWith(`\u2069${MARKER}`));
  assert.equal(bidiClosers(cut), '');
});

test('a value that changes the direction cannot reach past itself', () => {
  assert.equal(ESCAPES.text('user\u202egpj.exe'), 'user\u202egpj.exe\u202c');
  assert.equal(ESCAPES.html('\u2067\u202eab'), '\u2067\u202eab\u202c\u2069');
});
