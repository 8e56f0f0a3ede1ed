import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { landfall } from './cli-process.fixture.ts';

const installation = async (tenants: readonly string[]) => {
  const cloned = await testDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'landfall-cli-search-'));
  const env = {
    DATABASE_URL: cloned.url,
    LANDFALL_SECRET_KEY: randomBytes(32).toString('base64'),
    INIT_CWD: directory,
  };
  for (const tenant of tenants) await landfall(['tenant', 'set', tenant, '--name', tenant], { env });
  return {
    run: (...args: string[]) => landfall(['search', ...args], { env }),
    write: (name: string, content: string) => writeFile(join(directory, name), content),
    async [Symbol.asyncDispose]() {
      await cloned.drop();
      await rm(directory, { recursive: true });
    },
  };
};

const advisory = (id: string): string =>
  JSON.stringify({ id, modified: '2026-01-01T00:00:00Z', summary: `About ${id}` });

test('documents are imported for the one tenant that there is, and told of with what was refused', async () => {
  await using home = await installation(['acme']);
  await home.write('a.ndjson', [advisory('A-1'), '{broken', advisory('A-2')].join('\n'));
  const first = await home.run('import', 'a.ndjson', 'missing.json');
  assert.deepEqual([first.code, first.err], [1, '']);
  assert.deepEqual(first.out.split('\n').slice(0, 4), [
    "refused: a.ndjson:2: not JSON: Expected property name or '}'",
    'refused: missing.json: it cannot be read (ENOENT)',
    '2 documents of osv: 2 chunks new, 0 changed, 0 unchanged, 0 removed',
    '4 records read: 2 written, 0 unchanged, 0 repeated, 2 refused, 0 left aside',
  ]);
  await home.write('b.json', advisory('A-1'));
  const unnamed = await home.run('import', 'b.json', '--replace');
  assert.equal(unnamed.code, 2);
  assert.match(unnamed.err, /--replace takes --source/);
  const complete = await home.run('import', 'b.json', '--replace', '--source', 'osv');
  assert.equal(complete.code, 0);
  assert.match(complete.out, /^1 document of osv: 0 chunks new, 0 changed, 1 unchanged, 1 removed\n/);
  const status = await home.run('status');
  assert.match(status.out, /^acme {2}findings {2}osv {2}1 document {2}1 chunk {2}\S+\n/);
  assert.match(status.out, /import {2}\S+ {2}acme {2}osv {2}completed {2}1 document {2}0 refused {2}1 removed\n/);
});

test('where everything is refused the command says so by its code; without a tenant to import for it does nothing', async () => {
  await using home = await installation(['acme', 'globex']);
  await home.write('x.json', '{"what": 1}');
  const refused = await home.run('import', 'x.json', '--tenant', 'globex');
  assert.equal(refused.code, 1);
  assert.match(refused.out, /^refused: x\.json:1: nothing of it says which format it is/);
  const cases: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['x.json'], /--tenant is missing, or --shared\./],
    [['x.json', '--tenant', 'nobody'], /There is no tenant nobody\./],
    [['x.json', '--tenant', 'acme', '--shared'], /exclude each other/],
    [['x.json', '--shared', '--format', 'xml'], /--format is one of osv, /],
    [['x.json', '--shared', '--source', 'platform'], /is no name for a source/],
    [[], /<file-or-folder> is missing/],
  ];
  for (const [args, expected] of cases) {
    const { code, err } = await home.run('import', ...args);
    assert.equal(code, 2);
    assert.match(err, expected);
  }
  assert.match((await home.run('status', '--tenant', 'acme')).out, /^There is nothing to find yet/);
});

test('a group of commands is told by its name and with --help', async () => {
  const [plain, help] = [await landfall(['search']), await landfall(['search', '--help'])];
  assert.deepEqual([plain.code, help.code, help.err], [2, 0, '']);
  assert.equal(plain.out, help.out);
  assert.match(help.out, /^usage: landfall search <command>/);
  assert.match(help.out, /search import[\s\S]*search status/);
  assert.doesNotMatch(help.out, /tenant set/);
});

test('a folder in which nothing can be read ends with 1, and its files are listed with the reasons', async () => {
  await using home = await installation(['acme']);
  await home.write('notes.txt', 'Nothing.');
  await home.write('README.md', '# Nothing');
  const { code, out } = await home.run('import', '.');
  assert.equal(code, 1);
  assert.deepEqual(out.trimEnd().split('\n'), [
    '0 documents: 0 chunks new, 0 changed, 0 unchanged, 0 removed',
    '2 records read: 0 written, 0 unchanged, 0 repeated, 0 refused, 2 left aside',
    'left aside: 1 (no known format)',
    'left aside: 1 (an ending that is not read)',
    'left aside: README.md: no known format',
    'left aside: notes.txt: an ending that is not read',
    'Nothing was imported: no file has a document in a format that is read.',
  ]);
});
