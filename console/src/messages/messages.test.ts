import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const src = join(import.meta.dirname, '..');

const partOf = (path: string): Readonly<Record<string, string>> => {
  const part: unknown = JSON.parse(readFileSync(path, 'utf8'));
  assert.ok(typeof part === 'object' && part !== null);
  return Object.fromEntries(
    Object.entries(part).map(([key, words]) => {
      assert.ok(typeof words === 'string', key);
      return [key, words];
    }),
  );
};

/** Messages by file: those of the first page, and those that are loaded with a feature. */
const parts = new Map(
  globSync('*.json', { cwd: import.meta.dirname }).map((name) => [name, partOf(join(import.meta.dirname, name))]),
);
const all: Readonly<Record<string, string>> = Object.assign({}, ...parts.values());

const sources = globSync('**/*.{ts,tsx}', { cwd: src })
  .filter((path) => !path.endsWith('.test.ts') && !/^(generated|kit)\b/.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));
const code = sources.map(({ text }) => text).join('\n');

/** The names that a message asks for: `{name}` and `{name, plural, …}`, not the branches of a plural. */
const argumentsOf = (message: string): string[] =>
  [...message.matchAll(/\{(\w+)(?:\}|, plural,)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));

test('no message has two places', () => {
  const keys = [...parts.values()].flatMap((part) => Object.keys(part));
  assert.equal(new Set(keys).size, keys.length);
});

test('every message is asked for somewhere', () => {
  const families = [...code.matchAll(/`([\w.-]+\.)\$\{/g)].flatMap(([, prefix]) =>
    prefix === undefined ? [] : [prefix],
  );
  const isUsed = (key: string) => code.includes(`'${key}'`) || families.some((prefix) => key.startsWith(prefix));
  // A field asks for its hint and its example beside its label.
  const ofField = (key: string) => key.replace(/\.(hint|example)$/, '');
  const unusedKeys = Object.keys(all).filter((key) => !isUsed(key) && !isUsed(ofField(key)));
  assert.deepEqual(unusedKeys, []);
});

/** The source of a call's arguments, from after its opening parenthesis. */
function argumentSource(from: number): string {
  let depth = 1;
  let at = from;
  while (depth > 0 && at < code.length) {
    if (code[at] === '(') depth++;
    if (code[at] === ')') depth--;
    at++;
  }
  return code.slice(from, at - 1);
}

test('every message is given what it asks for', () => {
  const calls = [...code.matchAll(/\bt\((?=')/g)].map(({ index }) => argumentSource(index + 2));
  const missingParameters = calls.filter((call) => {
    const [, key = '', input = ''] = /^'([\w.-]+)',?([\s\S]*)$/.exec(call) ?? [];
    const message = all[key] ?? '';
    // Parameters that a function makes cannot be read from the source.
    const isLiteral = input.trim() === '' || input.trim().startsWith('{');
    return isLiteral && argumentsOf(message).some((name) => !new RegExp(`\\b${name}\\b`).test(input));
  });
  assert.ok(calls.length > 200);
  assert.deepEqual(missingParameters, []);
});

test('no visible word stands outside the messages', () => {
  const words = sources
    .filter(({ path }) => path.endsWith('.tsx'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/>\s*([^<>{}()=;]*[A-Za-z]{2}[^<>{}()=;]*)<\//g)].map(([, word]) => `${path}: ${word?.trim()}`),
    );
  assert.deepEqual(words, []);
});
