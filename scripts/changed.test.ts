import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testsReached } from './changed.ts';

const sources = [
  { file: 'subgraphs/kernel/core/ids.ts', text: '' },
  { file: 'subgraphs/kernel/core/ids.test.ts', text: "import { toId } from './ids.ts';" },
  { file: 'subgraphs/search/query.ts', text: "import { toId } from '@landfall/kernel/core/ids';" },
  { file: 'subgraphs/search/index.ts', text: "export { ask } from './query.ts';" },
  { file: 'subgraphs/search/query.test.ts', text: "const { ask } = await import('./query.ts');" },
  { file: 'subgraphs/search/other.test.ts', text: '' },
  { file: 'gateway/modules.ts', text: "import { ask } from '@landfall/search';" },
  { file: 'gateway/modules.test.ts', text: "import { modules } from './modules.ts';" },
  { file: 'rest-compat/routes/search.test.ts', text: "import { ask } from '@landfall/search';" },
  { file: 'rest-compat/golden.test.ts', text: '' },
  { file: 'console/src/features/search/Results.tsx', text: '' },
  { file: 'e2e/search.test.ts', text: '' },
];

test('a file reaches the tests that import it, in its workspace and through the index of its module', () => {
  assert.deepEqual(testsReached(sources, ['subgraphs/search/query.ts']), [
    'rest-compat/routes/search.test.ts',
    'subgraphs/search/query.test.ts',
  ]);
  assert.deepEqual(testsReached(sources, ['gateway/modules.ts']), ['gateway/modules.test.ts']);
});

test('a file of the kernel reaches the modules that import it', () => {
  assert.deepEqual(testsReached(sources, ['subgraphs/kernel/core/ids.ts']), [
    'rest-compat/routes/search.test.ts',
    'subgraphs/kernel/core/ids.test.ts',
    'subgraphs/search/query.test.ts',
  ]);
});

test('a file that is no source reaches the tests of its workspace, and a golden file its replay', () => {
  assert.deepEqual(testsReached(sources, ['subgraphs/search/migrations/0002.sql']), [
    'subgraphs/search/other.test.ts',
    'subgraphs/search/query.test.ts',
  ]);
  assert.deepEqual(testsReached(sources, ['rest-compat/golden/search/ask.http']), ['rest-compat/golden.test.ts']);
  assert.deepEqual(testsReached(sources, ['README.md', 'subgraphs/search/other.test.ts']), [
    'subgraphs/search/other.test.ts',
  ]);
});

test('a feature of the console reaches the browser tests that are named after it', () => {
  assert.deepEqual(testsReached(sources, ['console/src/features/search/Results.tsx']), ['e2e/search.test.ts']);
});
