import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testDeps } from '@landfall/kernel/testing/app';
import fc from 'fast-check';
import type { Owner } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import { aChunk } from '../testing/chunk.ts';
import { zipOf } from '../testing/zip.ts';
import { createImports, type ImportRequest } from './imports.ts';

const acme = toTenantId('acme');
const rows = table('search.chunks bodies', { body: text });

/** A folder of files, imports from it, and what is then said. */
const filesApp = async (t: TestContext) => {
  const app = await testDeps();
  const root = await mkdtemp(join(tmpdir(), 'landfall-statements-'));
  t.after(async () => {
    await app[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  });
  const corpus = createCorpus(app.deps);
  const imports = createImports({ ...app.deps, corpus });
  return {
    ...app,
    corpus,
    root,
    async write(path: string, content: string | Buffer) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    run: (paths: readonly string[], overrides: Partial<ImportRequest> = {}) =>
      imports.run({ owner: acme, files: paths.map((path) => ({ path: join(root, path), name: path })), ...overrides }),
    async said(owner: Owner = acme) {
      const found = await app.deps.database.system.read((query) =>
        query.list(
          rows,
          sql`/* test.said */ select body from search.chunks where tenant = ${owner} and removed_at is null and domain = 'vex'`,
        ),
      );
      return found.map(({ body }) => body).toSorted();
    },
  };
};

interface Statement {
  readonly vulnerability: string;
  readonly product: string;
  readonly says: string;
}

const VULNERABILITIES = ['CVE-2026-10001', 'CVE-2026-10002'];
const PRODUCTS = ['pkg:oci/one', 'pkg:oci/two'];

const statementOf = ({ vulnerability, product, says: summary }: Statement) => ({
  vulnerability,
  products: [product],
  status: 'fixed',
  impact_statement: summary,
});

/** Documents of one @id, one in a line. */
const fileOf = (documents: readonly (readonly Statement[])[]): string =>
  documents
    .map((statements) =>
      JSON.stringify({
        '@context': 'https://openvex.dev/ns',
        '@id': 'shared',
        statements: statements.map(statementOf),
      }),
    )
    .join('\n');

const vex = (summary: string): string =>
  fileOf([[{ vulnerability: 'CVE-2026-10001', product: 'pkg:oci/one', says: summary }]]);

const bodyOf = ({ vulnerability, product, says: summary }: Statement): string =>
  `${vulnerability} is fixed in ${product.slice('pkg:oci/'.length)}.\n\n${summary}`;

/** Files whose last folders are the same, and whose statements may be. */
const FILES = ['a/x/y/z/vex.json', 'b/x/y/z/vex.json', 'b/more/x/y/z/vex.json', 'c.zip', 'd/x/y/z/vex.json.gz'];
/** Folders and files that an import may begin with. */
const BEGINNINGS = ['.', 'a', 'a/x/y', 'b', 'b/more', 'd', ...FILES];

const isBelow = (file: string, prefix: string): boolean =>
  prefix === '.' || file === prefix || file.startsWith(`${prefix}/`);

const statement = fc.record({
  vulnerability: fc.constantFrom(...VULNERABILITIES),
  product: fc.constantFrom(...PRODUCTS),
  says: fc.constantFrom('One.', 'Two.', 'Three.'),
});
const content = fc
  .tuple(fc.uniqueArray(statement, { maxLength: 5, selector: (one) => JSON.stringify(one) }), fc.nat(5))
  .map(([statements, at]) => [statements.slice(0, at), statements.slice(at)]);
const steps = fc.array(
  fc.record({
    changes: fc.array(fc.tuple(fc.constantFrom(...FILES), content), { maxLength: 3 }),
    beginnings: fc.array(fc.constantFrom(...BEGINNINGS), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const packed = (file: string, documents: readonly (readonly Statement[])[]): string | Buffer => {
  const written = fileOf(documents);
  if (file.endsWith('.zip')) return zipOf([{ path: 'x/y/z/vex.json', content: written }]);
  return file.endsWith('.gz') ? gzipSync(written) : written;
};

test('however files are split into imports, there is what the last version of each says, neither less nor more', async (t) => {
  const app = await filesApp(t);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: FILES.length, maxLength: FILES.length }),
      steps,
      async (first, run) => {
        runs += 1;
        const owner = toTenantId(`tenant-${runs}`);
        const written = new Map<string, Statement[][]>();
        const imported = new Map<string, Statement[][]>();
        const write = async (file: string, documents: Statement[][]) => {
          written.set(file, documents);
          await app.write(file, packed(file, documents));
        };
        for (const [at, file] of FILES.entries()) await write(file, first[at] ?? []);
        for (const { changes, beginnings } of run) {
          for (const [file, documents] of changes) await write(file, documents);
          const { refused } = await app.run(beginnings, { owner });
          assert.equal(refused, 0);
          for (const [file, documents] of written)
            if (beginnings.some((prefix) => isBelow(file, prefix))) imported.set(file, documents);
          assert.deepEqual(await app.said(owner), [...imported.values()].flat(2).map(bodyOf).toSorted());
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('a file of which something cannot be read loses nothing that it said', async (t) => {
  const app = await filesApp(t);
  await app.write('vex.json', `${vex('One.')}\n${vex('Two.')}`);
  await app.run(['vex.json']);
  const before = await app.said();
  await app.write('vex.json', `${vex('One.')}\n{`);
  await app.run(['vex.json']);
  assert.deepEqual(await app.said(), before);
  // Read as another format it has no statements.
  await app.run(['.'], { format: 'rego' });
  assert.deepEqual(await app.said(), before);
});

test('working copies of one repository are one, of two repositories they are not', async (t) => {
  const app = await filesApp(t);
  const clone = async (folder: string, url: string, summary: string) => {
    await app.write(
      `${folder}/.git/config`,
      `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`,
    );
    await app.write(`${folder}/pkg/vex.json`, vex(summary));
    await app.run([folder]);
  };
  await clone('1/hub', 'https://token@git.example/fence/hub.git', 'One.');
  await clone('2/hub', 'git@git.example:fence/hub.git', 'Two.');
  assert.equal((await app.said()).length, 1);
  assert.match((await app.said()).join(), /Two/);
  await clone('3/hub', 'https://git.example/other/hub.git', 'Three.');
  await clone('4/hub', '../local', 'Four.');
  await clone('5/hub', '../local', 'Five.');
  assert.equal((await app.said()).length, 4);
});

test('statements from before files were known go where a file says them anew, and others stay', async (t) => {
  const app = await filesApp(t);
  await app.write('a/vex.json', vex('One.'));
  await app.write('b/vex.json', vex('Two.'));
  const before = (documentKey: string, summary: string) =>
    aChunk(documentKey, {
      domain: 'vex',
      source: 'openvex',
      entityKey: 'vulnerability:CVE-2026-10001',
      title: 'CVE-2026-10001: fixed in one',
      body: `CVE-2026-10001 is fixed in one.\n\n${summary}`,
      identifiers: ['CVE-2026-10001', 'pkg:oci/one'],
      packages: ['one'],
      attributes: { status: 'fixed', products: ['pkg:oci/one'], productCount: 1, document: 'shared' },
    });
  await app.corpus.put(acme, [
    before('shared/CVE-2026-10001', 'One.'),
    before('x/y/vex.json#CVE-2026-10001/0123456789abcdef', 'Two.'),
    before('x/y/vex.json#CVE-2026-10001/0123456789abcdef~0123456789ab', 'Three.'),
  ]);
  const { removed } = await app.run(['a']);
  assert.equal(removed, 1);
  assert.equal((await app.said()).length, 3);
  await app.run(['b']);
  const statement = ['One.', 'Three.', 'Two.'].map((summary) => `CVE-2026-10001 is fixed in one.\n\n${summary}`);
  assert.deepEqual(await app.said(), statement);
});
