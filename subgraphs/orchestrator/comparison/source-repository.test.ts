import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareUrl, forgeOf, isCommit, parseSource } from './source-repository.ts';

const written: readonly (readonly [text: string, key: string | undefined])[] = [
  ['https://github.com/acme/shop', 'github.com/acme/shop'],
  ['https://github.com/acme/shop.git', 'github.com/acme/shop'],
  ['https://GitHub.com/acme/shop/tree/main/web', 'github.com/acme/shop'],
  ['git+https://github.com/acme/shop@refs/heads/main', 'github.com/acme/shop'],
  ['git+https://github.com/acme/shop.git@0123abc', 'github.com/acme/shop'],
  ['git@github.com:acme/shop.git', 'github.com/acme/shop'],
  ['ssh://git@forge.example:2222/acme/shop', 'forge.example/acme/shop'],
  ['https://gitlab.com/acme/group/shop/-/tree/main', 'gitlab.com/acme/group/shop'],
  ['https://user:word@forge.example:8443/acme/shop?ref=1#web', 'forge.example:8443/acme/shop'],
  ['', undefined],
  ['shop', undefined],
  ['https://github.com/acme', undefined],
  ['https://github.com/acme/..', undefined],
  ['file:///etc/passwd', undefined],
  ['javascript:alert(1)', undefined],
  ['data:text/html,<b>/x', undefined],
  ['https://forge.example/a b/c', undefined],
  ['https://forge.example/acme/<script>', undefined],
];
for (const [text, key] of written)
  test(`“${text}” is ${key ?? 'no repository'}`, () => assert.equal(parseSource(text)?.key, key));

test('whatever is written, an address that is read again is the same repository', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom(...written.map(([text]) => text))), (text) => {
      const found = parseSource(text);
      if (found) assert.deepEqual(parseSource(`https://${found.key}`), found);
    }),
  );
});

test('a forge is known by its name, and its page of a comparison is linked', () => {
  const hosts = [
    'github.com',
    'gitlab.com',
    'gitlab.acme.example',
    'codeberg.org',
    'gitea.acme.example',
    'git.example',
  ];
  assert.deepEqual(hosts.map(forgeOf), ['github', 'gitlab', 'gitlab', 'gitea', 'gitea', undefined]);
  const source = parseSource('https://gitlab.com/acme/group/shop') ?? assert.fail();
  assert.equal(
    compareUrl('gitlab', 'https://gitlab.com', source, 'a1', 'b2'),
    'https://gitlab.com/acme/group/shop/-/compare/a1...b2',
  );
  const web = parseSource('https://github.com/acme/shop') ?? assert.fail();
  assert.equal(compareUrl('github', 'https://github.com', web, 'a', 'b'), 'https://github.com/acme/shop/compare/a...b');
  for (const wrong of ['', 'a b', '../x', 'a..b', '"><b>', 'a/b', '-a'])
    assert.equal(compareUrl('github', 'https://github.com', web, wrong, 'b'), undefined, wrong);
});

test('only a whole hash is a commit', () => {
  assert.deepEqual(['a'.repeat(40), 'b'.repeat(64), 'a'.repeat(39), 'main', 'A'.repeat(40)].map(isCommit), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
