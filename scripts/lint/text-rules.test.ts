import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkExports } from './exports.ts';
import { checkComments, checkDocstrings, checkFileNames, checkStatements, forbiddenWords } from './text-rules.ts';

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

test('a docstring of an export says more than its faults', () => {
  const throwing = (declared: string) => [
    { file: 'a.ts', text: `\n/** @throws Fault RES_NOT_FOUND */\n${declared}\n` },
  ];
  assert.deepEqual(lines(checkDocstrings(throwing('export const get = 1;'))), [
    'a.ts:2 a docstring says what the export does before @throws',
  ]);
  assert.deepEqual(checkDocstrings(throwing('const get = 1;')), []);
  assert.deepEqual(
    checkDocstrings([{ file: 'a.ts', text: '/** Reads it. @throws Fault */\nexport const a = 1;\n' }]),
    [],
  );
});

test('a comment begins with a noun or a verb, unless it continues the line before', () => {
  const text =
    '// What it is.\n// A rule\n// of those\n// That no one knows.\nconst a = 1;\n  // Whoever asks.\n// Done.\n// Who?\n';
  assert.deepEqual(
    checkComments([{ file: 'a.ts', text }]).map(({ line }) => line),
    [1, 6, 8],
  );
});

test('a statement is named schema.table.functionName', () => {
  const byName = (name: string) => [{ file: 'a.store.ts', text: `sql\`/* ${name} */ select 1\`` }];
  assert.deepEqual(checkStatements(byName('search.import_files.listByIds')), []);
  assert.deepEqual(checkStatements(byName('doctor.fleet')), []);
  assert.equal(checkStatements(byName('search.importFiles.list')).length, 1);
  assert.equal(checkStatements(byName('search.imports.list_by_ids')).length, 1);
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

test('a folder name has none of these words either', () => {
  const sources = ['kernel/held/task.ts', 'kernel/held/lease.ts'].map((file) => ({ file, text: '' }));
  assert.deepEqual(lines(checkFileNames(sources, new Set(['held']))), [
    'kernel/held:1 the glossary keeps “held” out of file names',
  ]);
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
