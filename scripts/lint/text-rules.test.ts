import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkExports } from './exports.ts';
import { checkDocstrings, checkFileNames, checkStatements, forbiddenWords } from './text-rules.ts';

const lines = (breaches: readonly { file: string; line: number; message: string }[]): string[] =>
  breaches.map(({ file, line, message }) => `${file}:${line} ${message}`);

test('a docstring begins with a noun or a verb', () => {
  const text = '/** Leases a task. */\nconst a = 1;\n/**\n * What it is.\n */\nconst b = 2;\n/** '.concat(
    'Of those. */\n',
  );
  assert.deepEqual(
    checkDocstrings([{ file: 'a.ts', text }]).map(({ line }) => line),
    [3, 7],
  );
});

test('a statement is named schema.table.functionName', () => {
  const named = (name: string) => [{ file: 'a.store.ts', text: `sql\`/* ${name} */ select 1\`` }];
  assert.deepEqual(checkStatements(named('search.import_files.listByIds')), []);
  assert.deepEqual(checkStatements(named('doctor.fleet')), []);
  assert.equal(checkStatements(named('search.importFiles.list')).length, 1);
  assert.equal(checkStatements(named('search.imports.list_by_ids')).length, 1);
});

test('a file name has none of the words that the glossary keeps out', () => {
  const forbidden = forbiddenWords('# Glossary\n`task` is fine\n## Not in file names\n`told`, `held` and `words`\n');
  const sources = ['kernel/told.ts', 'kernel/task.ts', 'console/HeldRows.tsx', 'a/key-words.test.ts'];
  assert.deepEqual(
    checkFileNames(
      sources.map((file) => ({ file, text: '' })),
      forbidden,
    ).map(({ file }) => file),
    ['kernel/told.ts', 'console/HeldRows.tsx', 'a/key-words.test.ts'],
  );
});

test('an export is imported somewhere', () => {
  const sources = [
    { file: 'gateway/a.ts', text: 'export const used = 1;\nexport interface Unused {}\n' },
    { file: 'gateway/b.ts', text: "import { used as mine } from './a.ts';\nexport { lost };\n" },
    { file: 'subgraphs/kernel/c.ts', text: 'export const far = 1;\n' },
    { file: 'gateway/d.ts', text: "import { far } from '@landfall/kernel/c';\nimport * as e from './e.ts';\n" },
    { file: 'gateway/e.ts', text: 'export const whole = 1;\n' },
  ];
  assert.deepEqual(lines(checkExports(sources)), [
    'gateway/a.ts:2 nobody imports Unused',
    'gateway/b.ts:2 nobody imports lost',
  ]);
});
