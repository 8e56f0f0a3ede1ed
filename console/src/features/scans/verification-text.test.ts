import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureParts, failureText } from './verification-text.ts';

test('a failure has its slug and its detail', () => {
  assert.deepEqual(failureParts('root-mismatch: The root is another.'), {
    slug: 'root-mismatch',
    detail: 'The root is another.',
  });
  assert.deepEqual(failureParts('No slug at all'), { slug: '', detail: 'No slug at all' });
});

test('a known failure is said in words, a newer one in those of the server', () => {
  assert.equal(
    failureText('signature-untrusted: No trusted key signed the manifest.'),
    'No trusted key signed the manifest of this bundle.',
  );
  assert.equal(failureText('newer-check: The moon is wrong.'), 'The moon is wrong.');
  assert.equal(failureText(null), 'The bundle does not verify.');
});
