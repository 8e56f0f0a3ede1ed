import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordProblem } from './password-policy.ts';

const isAccepted = (password: string) => passwordProblem(password, 'ada') === undefined;

test('a long password is taken, whatever characters are in it', () => {
  assert.ok(isAccepted('correct horse battery staple'));
  assert.ok(isAccepted('ein Satz mit Löwen 🦁'));
  assert.ok(isAccepted('password wordpass'));
});

test('length by repetition, or of hardly any characters, is none', () => {
  for (const password of [
    'passwordpassword',
    'PasswordpassworD',
    ' hunter2hunter2hunter2 ',
    'aaaaaaaaaaaa',
    'abababcabcab',
  ])
    assert.match(passwordProblem(password, 'ada') ?? '', /again and again/, password);
});
