import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseReference, type SecretReference } from './secret-reference.ts';

const over = (alphabet: string, minLength = 1, maxLength = 40) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const letters = 'abcXYZ';
const part = over(`${letters}019_-.`).filter((text) => text !== '.' && text !== '..');
const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));

const written: fc.Arbitrary<readonly [string, SecretReference]> = fc.oneof(
  fc.tuple(over(letters), over(`${letters}019._/-`, 0)).map(([first, rest]): [string, SecretReference] => {
    const name = first + rest;
    return [name, { kind: 'builtin', name }];
  }),
  over(`${letters}_`).map((name): [string, SecretReference] => [
    `env:${name}`,
    { kind: 'agent', place: `env:${name}` },
  ]),
  path.map((file): [string, SecretReference] => [`file:${file}`, { kind: 'agent', place: `file:${file}` }]),
  fc
    .record({ provider: over('abc019'), path, key: over(`${letters}019._-`) })
    .map(({ provider, path: location, key }): [string, SecretReference] => [
      `vault:${provider}/${location}#${key}`,
      { kind: 'vault', provider, path: location, key },
    ]),
);

test('each way of writing a reference is read as what it says', () => {
  fc.assert(fc.property(written, ([text, reference]) => assert.deepEqual(parseReference(text), reference)));
});

test('no text is read as a path that leaves the place it begins at', () => {
  const step = fc.constantFrom('.', '..', '', 'a', '%2e%2e', '\\', '\0', '\n', ' ');
  const paths = fc.array(step, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(paths, fc.constantFrom('file:', 'vault:main/'), (location, prefix) => {
      const text = prefix === 'file:' ? `${prefix}${location}` : `${prefix}${location}#key`;
      const parts = location.split('/');
      const isBad = parts.some((each) => ['', '.', '..', '\0', '\n'].includes(each));
      if (isBad) assert.equal(parseReference(text), undefined);
      const reference = parseReference(text);
      if (reference?.kind === 'vault')
        assert.equal(new URL(`http://h/v1/m/data/${reference.path}`).pathname, `/v1/m/data/${location}`);
    }),
  );
});

test('what is almost a reference is none', () => {
  const refused = [
    '',
    '-name',
    'a name',
    'x'.repeat(129),
    'env:',
    'env:1A',
    'env:A-B',
    'file:',
    'file:/etc/passwd',
    'file:a/../../b',
    'file:./a',
    'file:a//b',
    'file:é',
    'vault:main',
    'vault:main/path',
    'vault:main/path#',
    'vault:main#key',
    'vault:Main/path#key',
    'vault:-main/path#key',
    'vault:main/pa th#key',
    'vault:main/path#key#key',
    'vault:main/../sys/seal#key',
    'aws:main/path#key',
    `file:${'x'.repeat(508)}`,
  ];
  for (const text of refused) assert.equal(parseReference(text), undefined, text);
  assert.ok(parseReference(`file:${'x'.repeat(507)}`));
});
