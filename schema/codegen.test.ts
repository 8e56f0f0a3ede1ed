import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { codegen } from './codegen.ts';
import { compose } from './compose.ts';
import { write } from './output.ts';
import { repository } from './sdl.ts';

const module: Record<string, string> = {
  'subgraphs/scanner/schema.graphql': `
    type Query { scans(since: DateTime, state: ScanState): [Scan!]! scan(id: ID!): Scan }
    type Scan @key(fields: "id") { id: ID! state: ScanState! startedAt: DateTime! note: String tags: [String!]! }
    enum ScanState { IN_QUEUE DONE }
    input Window { from: DateTime! }`,
  'subgraphs/scanner/mappers.json': '{ "Scan": "./scans.ts#Scan" }',
  'subgraphs/scanner/context.ts': 'export interface Context { readonly tenant: string }\n',
  'subgraphs/scanner/scans.ts': `
    export interface Scan { readonly id: string; readonly state: 'in_queue' | 'done'; readonly startedAt: Date; readonly secret: number }`,
  'subgraphs/scanner/resolvers.ts': `
    import type { Resolvers, Window } from './generated.ts';
    export const window: Window = { from: '2026-01-01T00:00:00Z' };
    export const resolvers: Resolvers = {
      Query: {
        scans: (_, { since, state }, { tenant }) =>
          since?.startsWith(tenant) && state === 'in_queue' ? [] : [{ id: 'a', state: 'done', startedAt: new Date(0), secret: 7 }],
        scan: () => undefined,
      },
      Scan: {
        __resolveReference: ({ id }) => ({ id, state: 'done', startedAt: new Date(0), secret: 7 }),
        note: ({ secret }) => (secret > 0 ? 'some' : null),
        tags: (): readonly string[] => [],
      },
    };`,
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify({
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(repository, 'node_modules/@types')] },
    include: ['subgraphs', 'console'],
  }),
};

const documents = {
  'console/src/scans/scans.graphql': 'query ScansPage($state: ScanState) { scans(state: $state) { ...ScanRow note } }',
  'console/src/scans/scan-row.graphql': 'fragment ScanRow on Scan { id state startedAt tags }',
  'console/src/scans/scans.ts': `
    import { ScansPageDocument, type ScanRowFragment, type ScansPageQuery } from '../generated/operations.ts';
    export const row = (scan: ScanRowFragment): string => scan.startedAt.slice(0, 10) + scan.__typename;
    export const notes = ({ scans }: ScansPageQuery): (string | null)[] => scans.map(({ note }) => note);
    export const first = ScansPageDocument.definitions[0];`,
};

/** A repository with these files, its composed API and its generated files. */
async function checkout(files: Record<string, string>) {
  const dir = mkdtempDisposableSync(join(tmpdir(), 'codegen-'));
  symlinkSync(join(repository, 'node_modules'), join(dir.path, 'node_modules'));
  for (const [path, text] of Object.entries(files)) put(dir.path, path, text);
  write(dir.path, compose(dir.path).files);
  const { files: generated, problems } = await codegen(dir.path);
  write(dir.path, generated);
  return { path: dir.path, problems, [Symbol.dispose]: () => dir.remove() };
}

function put(root: string, path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const typeErrors = (root: string): string => {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  try {
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', root], { cwd: root, encoding: 'utf8' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
};

test('resolvers over mapped domain types compile strictly without a cast', async () => {
  using root = await checkout(module);
  assert.equal(typeErrors(root.path), '');
});

test('a resolver that answers another shape does not compile', async () => {
  using root = await checkout(module);
  const path = join(root.path, 'subgraphs/scanner/resolvers.ts');
  writeFileSync(path, readFileSync(path, 'utf8').replace('new Date(0), secret', '"1970", secret'));
  assert.match(typeErrors(root.path), /resolvers\.ts.*TS2322/);
});

test('resolver types name neither mercurius nor its loaders', async () => {
  using root = await checkout(module);
  const code = readFileSync(join(root.path, 'subgraphs/scanner/generated.ts'), 'utf8');
  assert.doesNotMatch(code, /mercurius"|Loader/);
});

test('a console document is typed as asked, with nulls and type names', async () => {
  using root = await checkout({ ...module, ...documents });
  assert.equal(typeErrors(root.path), '');
});

test('each operation is a module of its own, small and without a parser', async () => {
  using root = await checkout({ ...module, ...documents });
  const text = readFileSync(join(root.path, 'console/src/generated/scans-page.document.ts'), 'utf8');

  assert.doesNotMatch(text, /"loc"|"directives"|from 'graphql/);
  assert.match(
    readFileSync(join(root.path, 'console/src/generated/operations.ts'), 'utf8'),
    /scans-page\.document\.ts/,
  );
});

test('an operation is registered by the hash of the text the console sends', async () => {
  using root = await checkout({ ...module, ...documents });
  const operations: Record<string, string> = JSON.parse(
    readFileSync(join(root.path, 'schema/operations.json'), 'utf8'),
  );
  const [[hash, text] = ['', '']] = Object.entries(operations);

  assert.equal(hash, createHash('sha256').update(text).digest('hex'));
  assert.match(text, /scans\(state: \$state\) \{\n {4}\.\.\.ScanRow\n {4}note\n {4}__typename\n {2}\}\n\}/);
});

test('a document leaves with its operation', async () => {
  using root = await checkout({ ...module, ...documents });
  put(root.path, 'console/src/scans/scans.graphql', 'query OtherPage { scans { ...ScanRow } }');
  write(root.path, (await codegen(root.path)).files);

  assert.equal(existsSync(join(root.path, 'console/src/generated/scans-page.document.ts')), false);
  assert.equal(existsSync(join(root.path, 'console/src/generated/other-page.document.ts')), true);
});

test('a document that the API does not answer is refused with its file and line', async () => {
  using root = await checkout({ ...module, 'console/src/a.graphql': 'query A {\n  scans { colour }\n}' });
  assert.match(root.problems.join(), /Cannot query field "colour"[\s\S]*console\/src\/a\.graphql:2/);
});

test('a fragment that nobody spreads is refused', async () => {
  using root = await checkout({ ...module, ...documents });
  rmSync(join(root.path, 'console/src/scans/scans.graphql'));
  put(root.path, 'console/src/b.graphql', 'query B { scans { id } }');
  assert.match((await codegen(root.path)).problems.join(), /Fragment "ScanRow" is never used/);
});
