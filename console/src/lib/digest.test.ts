import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstDifference, shortenDigest } from './digest.ts';

const digest = (hex: string) => `sha256:${hex.padEnd(64, '0')}`;

test('the first different character is found', () => {
  assert.equal(firstDifference(digest('9f2c41ab'), digest('9f2c80d1')), 4);
  assert.equal(firstDifference(digest('ab'), digest('ab')), undefined);
});

test('a digest is written as its first eight and last four characters', () => {
  assert.deepEqual(shortenDigest(digest('9f2c41ab77'), undefined), {
    lead: false,
    head: '9f2c41ab',
    mark: undefined,
    tail: '0000',
  });
});

test('a difference further in moves what is written, so that it is never in the part left out', () => {
  const far = `${'a'.repeat(40)}7`;
  assert.deepEqual(shortenDigest(digest(far), 40), { lead: true, head: 'aaa70000', mark: 3, tail: '0000' });
  const last = shortenDigest(digest('a'), 63);
  assert.equal(last.mark !== undefined && last.head[last.mark], '0');
});
