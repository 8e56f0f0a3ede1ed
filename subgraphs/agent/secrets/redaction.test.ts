import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact } from './redaction.ts';

const secrets = {
  env: { KEY: 'abc', LONG: 'abc.def', EMPTY: '', PATTERN: '$&(' },
  registries: { 'registry.example': { username: 'robot', password: 'hunter2' } },
};

// spec: rulings/51
test('every value of a secret gives way to its name, and each is counted', () => {
  assert.deepEqual(redact(secrets, 'abc and abc.def, $&( for robot:hunter2'), {
    text: '[secret KEY] and [secret LONG], [secret PATTERN] for robot:[secret registry registry.example]',
    redacted: 4,
  });
});

test('of a secret with several lines each goes, alone as well', () => {
  const pem = { env: { PEM: '-----BEGIN-----\nabcdefgh\nxy\n' }, registries: {} };
  assert.deepEqual(redact(pem, 'abcdefgh\nxy'), { text: '[secret PEM]\nxy', redacted: 1 });
  assert.deepEqual(redact(pem, `of ${pem.env.PEM}end`), { text: 'of [secret PEM]end', redacted: 1 });
});

// spec: rulings/51
test('a text without secrets stays as it is', () => {
  for (const each of [secrets, { env: {}, registries: {} }])
    assert.deepEqual(redact(each, 'GET /: 500 $1 ab c'), { text: 'GET /: 500 $1 ab c', redacted: 0 });
});
