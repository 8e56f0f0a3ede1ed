import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordProblem } from './password-policy.ts';

const isTaken = (password: string) => passwordProblem(password, 'ada') === undefined;

test('a long password is taken, whatever characters are in it', () => {
  assert.ok(isTaken('correct horse battery staple'));
  assert.ok(isTaken('ein Satz mit Löwen 🦁'));
  assert.ok(isTaken('password wordpass'));
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
