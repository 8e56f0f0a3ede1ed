import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { compose, release } from './compose.ts';
import { stale, write } from './output.ts';
import { repository } from './sdl.ts';

const authority = 'type Query { user: User } type User @key(fields: "id") { id: ID! name: String at: DateTime }';
const scanner = 'type Query { scans: [Scan!]! } type Scan { owner: User! } type User @key(fields: "id") { id: ID! }';

/** An empty repository with these files. */
function checkout(files: Record<string, string>) {
  const dir = mkdtempDisposableSync(join(tmpdir(), 'compose-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir.path, path)), { recursive: true });
    writeFileSync(join(dir.path, path), text);
  }
  return dir;
}

const two = { 'subgraphs/authority/schema.graphql': authority, 'subgraphs/scanner/schema.graphql': scanner };

test('the committed supergraph and API are what the subgraphs compose to', () => {
  const composed = compose(repository);
  assert.deepEqual(composed.problems, []);
  assert.deepEqual(stale(repository, composed.files), []);
});

test('the API carries the joined types and nothing of federation', () => {
  using root = checkout(two);
  const { files, problems } = compose(root.path);
  const api = files.get('schema/api.graphql') ?? '';

  assert.deepEqual(problems, []);
  assert.match(api, /type Scan \{\n {2}owner: User!/);
  assert.match(api, /at: DateTime/);
  assert.doesNotMatch(api, /@|_entities|join__|link__/);
  assert.match(files.get('schema/supergraph.graphql') ?? '', /SCANNER @join__graph\(name: "scanner"/);
});

test('composing twice changes nothing, and an edit of the output is stale', () => {
  using root = checkout(two);
  assert.equal(write(root.path, compose(root.path).files).length, 2);
  assert.deepEqual(write(root.path, compose(root.path).files), []);

  writeFileSync(join(root.path, 'schema/api.graphql'), 'type Query { a: Int }');
  assert.deepEqual(stale(root.path, compose(root.path).files), ['schema/api.graphql']);
});

test('a field that two subgraphs both resolve is refused', () => {
  using root = checkout({
    ...two,
    'subgraphs/scanner/schema.graphql': scanner.replace('id: ID! }', 'id: ID! name: String }'),
  });
  const { files, problems } = compose(root.path);
  assert.match(problems.join(), /INVALID_FIELD_SHARING|Non-shareable field "User.name"/);
  assert.equal(files.size, 0);
});

test('a path that no plan can satisfy is refused', () => {
  using root = checkout({
    ...two,
    'subgraphs/authority/schema.graphql': authority.replace(
      '@key(fields: "id")',
      '@key(fields: "id", resolvable: false)',
    ),
  });
  assert.match(compose(root.path).problems.join(), /cannot be satisfied/);
});

test('a type that two subgraphs describe in different words is refused', () => {
  const described = (sdl: string, text: string) => sdl.replace('type User', `"${text}" type User`);
  using root = checkout({
    'subgraphs/authority/schema.graphql': described(authority, 'Somebody who signs in.'),
    'subgraphs/scanner/schema.graphql': described(scanner, 'A person.'),
  });
  assert.match(compose(root.path).problems.join(), /INCONSISTENT_DESCRIPTION.*"User"/);
});

test('a module that subgraphs.json does not list is refused', () => {
  using root = checkout({ 'subgraphs/stranger/schema.graphql': authority });
  assert.throws(() => compose(root.path), /stranger.schema\.graphql: not a module/);
});

test('a break of the released API passes only when it is announced since that release', () => {
  using root = checkout({
    ...two,
    'schema/BREAKING.md': '## Unreleased\n\n## 2026-01-01\n\n- User.name was removed. Told: everybody\n',
  });
  write(root.path, release(root.path, compose(root.path), '2026-02-02').files);
  writeFileSync(join(root.path, 'subgraphs/authority/schema.graphql'), authority.replace('name: String', ''));

  assert.match(compose(root.path).problems.join(), /breaking: User\.name was removed\./);

  const changelog = '## Unreleased\n\n- User.name was removed. Told: the console’s team\n';
  writeFileSync(join(root.path, 'schema/BREAKING.md'), changelog);
  assert.deepEqual(compose(root.path).problems, []);
});

test('a release takes the API over and files the announcements under its day', () => {
  using root = checkout({ ...two, 'schema/BREAKING.md': '## Unreleased\n\n- User.age was removed. Told: all\n' });
  write(root.path, release(root.path, compose(root.path), '2026-02-02').files);

  const read = (path: string) => readFileSync(join(root.path, path), 'utf8');
  assert.equal(read('schema/api.released.graphql'), read('schema/api.graphql'));
  assert.match(read('schema/BREAKING.md'), /^## Unreleased\n\n## 2026-02-02\n\n- User\.age was removed/);
});
