import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { checkStatements } from '@landfall/kernel/testing/prepare';

const root = join(import.meta.dirname, '../..');

/** Lists the product files that contain SQL statements. */
const filesWithStatements = async (): Promise<string[]> => {
  const files = await Array.fromAsync(
    glob('{subgraphs,rest-compat,gateway}/**/*.ts', {
      cwd: root,
      exclude: (path) => /(^|\/)(node_modules|testing|bench|proofs)$|\.(test|fixture)\.ts$/.test(path),
    }),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return files.filter((_, i) => /sql`\s*\/\* [\w.-]+ \*\//.test(texts[i] ?? '')).toSorted();
};

const isStore = (file: string): boolean => file.startsWith('subgraphs/kernel/') || file.endsWith('.store.ts');

test('statements are in stores, and in the kernel', async () => {
  assert.deepEqual(
    (await filesWithStatements()).filter((file) => !isStore(file)),
    [],
  );
});

test('every statement of the product is one that PostgreSQL takes and that answers what its shape says', async () => {
  await using cloned = await testDatabase();
  const files = (await filesWithStatements()).filter(isStore).map((file) => pathToFileURL(join(root, file)));
  const { problems, checked } = await checkStatements(files, cloned.connection);
  assert.deepEqual(problems, []);
  assert.ok(checked >= files.length, `${checked} statements of ${files.length} files`);
});
