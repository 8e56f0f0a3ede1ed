import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

const DEFAULTS = { theme: 'auto', density: 'regular', zone: 'UTC', singleKeys: true };

test('a browser that never stored anything has the defaults', () => {
  assert.deepEqual(readSettings(null), DEFAULTS);
});

test('what was stored is read, and what makes no sense falls back alone', () => {
  const stored = { theme: 'dark', density: 'tiny', zone: 'Asia/Kathmandu', singleKeys: false };
  assert.deepEqual(readSettings(JSON.stringify(stored)), {
    theme: 'dark',
    density: 'regular',
    zone: 'Asia/Kathmandu',
    singleKeys: false,
  });
  assert.deepEqual(readSettings('{"zone":"Mars/Olympus"}'), DEFAULTS);
  assert.deepEqual(readSettings('not json'), DEFAULTS);
});
