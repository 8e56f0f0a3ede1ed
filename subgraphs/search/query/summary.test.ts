import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { summaryOf } from './summary.ts';

describe('a summary', () => {
  it('is a short text as it is, in one line and without marks', () => {
    assert.equal(
      summaryOf('# Heading\n\nSome **bold** `code` and a [link](https://example.test/x).'),
      'Heading Some bold code and a link.',
    );
    assert.equal(summaryOf(''), '');
  });

  it('ends with a sentence where one ends in time', () => {
    const sentence = 'A crafted header makes the parser read past the end of its buffer and crash the process.';
    assert.equal(summaryOf(`${sentence} ${'More words follow here without any end '.repeat(20)}`), sentence);
  });

  it('otherwise ends between two words and says so', () => {
    const summary = summaryOf('word '.repeat(400));
    assert.ok(summary.endsWith('word…'));
    assert.ok(summary.length <= 241);
  });

  it('parts no character and is never long, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
        const summary = summaryOf(text);
        assert.ok(summary.length <= 241);
        assert.ok(summary.isWellFormed());
      }),
    );
    assert.ok(summaryOf('😀'.repeat(700)).isWellFormed());
    assert.ok(summaryOf(`x${'😀'.repeat(700)}`).isWellFormed());
  });
});
