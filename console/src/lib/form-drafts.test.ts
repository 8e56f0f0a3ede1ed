import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldMessage } from './form-drafts.ts';

const format = (field: string, message: string) => fieldMessage({ field, message, code: 'VAL_INVALID_FORMAT' });

test('what the server says of a format is shown, as a sentence', () => {
  assert.equal(
    format('publicKey', 'must be one public key in PEM, and nothing beside it'),
    'Must be one public key in PEM, and nothing beside it.',
  );
});

test('a pattern is nothing that people read', () => {
  assert.equal(format('other', 'must match pattern "^[a-z]+$"'), 'Some of these characters cannot be used here.');
});

test('a line that is no web origin is told what one is, in whichever place it stands', () => {
  for (const field of ['allowedOrigins', 'allowedOrigins.0', 'allowedOrigins.12'])
    assert.match(format(field, 'must match format "web-origin"'), /^An origin has no path: https:/);
});

test('a field’s own words win over the server’s', () => {
  assert.match(format('components.3.tag', 'must match pattern "^[a-z]+$"'), /^A tag has letters/);
  assert.match(format('name', 'has odd characters'), /^Letters, digits/);
});

test('other codes show the text of the code, or the server’s message where there is none', () => {
  assert.equal(
    fieldMessage({ field: 'x', message: 'is required', code: 'VAL_REQUIRED_FIELD' }),
    'This field is required.',
  );
  assert.equal(fieldMessage({ field: 'x', message: 'must be one of a, b', code: 'NEW' }), 'Must be one of a, b.');
});
