import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { stale, write } from './output.ts';
import { repository } from './sdl.ts';
import { claimsOf, rows, trace } from './trace.ts';

/** A claim, put together here so that this file makes none itself. */
const claim = (ids: string) => `// ${'spec'}: ${ids}\n`;

/** A repository whose only test file has this text. */
function checkout(text: string) {
  const dir = mkdtempDisposableSync(join(tmpdir(), 'trace-'));
  put(dir.path, 'subgraphs/orchestrator/deployments.test.ts', text);
  return dir;
}

function put(root: string, path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const pageOf = (root: string) => trace(root).files.get('docs/specification.md') ?? '';

test('every row has an id of its own, and each can be claimed', () => {
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.deepEqual(
    rows.flatMap(({ id }) => claimsOf(claim(id))),
    rows.map(({ id }) => id),
  );
});

test('section 7.2 has a row for each of the 98 codes', () => {
  assert.equal(rows.filter(({ id }) => id.startsWith('7.2/')).length, 98);
});

test('every row belongs to a module', () => {
  const modules = JSON.parse(readFileSync(join(repository, 'schema/subgraphs.json'), 'utf8'));
  assert.deepEqual(
    rows.filter(({ module }) => ![...modules, 'kernel'].includes(module)),
    [],
  );
});

test('a claim is read from a comment, a test’s name and a list', () => {
  assert.deepEqual(claimsOf(`test('reads (${claim('4.9/deployments, 2.10/anatomy-fields').trim()})', …)`), [
    '4.9/deployments',
    '2.10/anatomy-fields',
  ]);
  assert.deepEqual(claimsOf(`// as ${'spec'} 4.9/deployments says`), []);
});

test('a claimed row names its proof and the others stay open', () => {
  using root = checkout(claim('4.9/deployments'));
  const page = pageOf(root.path);

  assert.match(page, /4\.9\/deployments \|.*🟢 \[subgraphs\/orchestrator\/deployments\.test\.ts\]/);
  assert.match(page, /4\.9\/releases \|.*🔴/);
  assert.match(page, new RegExp(`^Open rows: ${rows.length - 1} of ${rows.length}$`, 'm'));
});

test('a golden file proves its rows', () => {
  using root = checkout('');
  put(root.path, 'rest-compat/golden/orchestrator/deployment.http', claim('4.9/deployments').replace('//', '#'));
  assert.match(pageOf(root.path), /4\.9\/deployments \|.*golden\/orchestrator\/deployment\.http/);
});

test('a claim of no row is refused with its file', () => {
  using root = checkout(claim('4.9/deploymints'));
  assert.deepEqual(trace(root.path).problems, ['subgraphs/orchestrator/deployments.test.ts: no row 4.9/deploymints']);
});

test('a row that only the full run proves is refused with its file', () => {
  using root = checkout('');
  const path = 'subgraphs/orchestrator/deployments.full.test.ts';
  put(root.path, path, claim('4.9/deployments'));
  assert.deepEqual(trace(root.path).problems, [`${path}: 4.9/deployments is proved by the full run only`]);
  put(root.path, 'subgraphs/orchestrator/promotions.test.ts', claim('4.9/deployments'));
  assert.deepEqual(trace(root.path).problems, []);
});

test('a row that was proved stays proved, unless its claim is withdrawn', () => {
  using root = checkout(claim('4.9/deployments'));
  write(root.path, trace(root.path).files);
  rmSync(join(root.path, 'subgraphs/orchestrator/deployments.test.ts'));

  assert.deepEqual(trace(root.path).problems, [
    'docs/specification.md: 4.9/deployments was proved and is not any more',
  ]);
  assert.deepEqual(trace(root.path, true).problems, []);
});

test('the repository’s claims are sound, none was lost, and the page says so', () => {
  const { files, problems } = trace(repository);
  assert.deepEqual(problems, []);
  assert.deepEqual(stale(repository, files), [], 'run npm run codegen');
});
