import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caps, createMatcher, type Press, SEQUENCE_MS } from './keys.ts';

const press = (key: string, overrides: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  typing: false,
  ...overrides,
});

function matcher({ singleKeys = true } = {}) {
  const clock = { now: 0 };
  const match = createMatcher(
    () => clock.now,
    () => singleKeys,
  );
  const bindings = ['j', 'g t', 'g i', 't', 'mod+k', 'Escape', 'Enter', '?'];
  return { clock, on: (key: string, overrides?: Partial<Press>) => match(press(key, overrides), bindings) };
}

test('a single key means its command', () => {
  const { on } = matcher();
  assert.equal(on('j'), 'j');
  assert.equal(on('?'), '?');
  assert.equal(on('z'), undefined);
});

test('a sequence wins over the single key of its end', () => {
  const { on } = matcher();
  assert.equal(on('g'), undefined);
  assert.equal(on('t'), 'g t');
  assert.equal(on('t'), 't');
});

test('a sequence that takes too long is two keys', () => {
  const { on, clock } = matcher();
  on('g');
  clock.now = SEQUENCE_MS + 1;
  assert.equal(on('t'), 't');
});

test('a wrong second key ends the sequence', () => {
  const { on } = matcher();
  on('g');
  assert.equal(on('j'), 'j');
  assert.equal(on('t'), 't');
});

test('nothing but mod keys and Escape is heard while somebody types', () => {
  const { on } = matcher();
  assert.equal(on('j', { typing: true }), undefined);
  assert.equal(on('Escape', { typing: true }), 'Escape');
  assert.equal(on('k', { ctrlKey: true, typing: true }), 'mod+k');
  assert.equal(on('K', { metaKey: true }), 'mod+k');
});

test('single keys and sequences can be turned off', () => {
  const { on } = matcher({ singleKeys: false });
  assert.equal(on('j'), undefined);
  on('g');
  assert.equal(on('t'), undefined);
  assert.equal(on('k', { metaKey: true }), 'mod+k');
});

test('a key with another modifier belongs to the browser', () => {
  const { on } = matcher();
  assert.equal(on('j', { altKey: true }), undefined);
  assert.equal(on('j', { ctrlKey: true }), undefined);
});

test('bindings are printed as caps', () => {
  assert.deepEqual(caps('mod+k', true), ['⌘K']);
  assert.deepEqual(caps('mod+k', false), ['Ctrl K']);
  assert.deepEqual(caps('g t', true), ['g', 't']);
});
