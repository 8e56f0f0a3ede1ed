import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stale } from '@landfall/schema/output.ts';
import { readme } from './settings-section.ts';

const root = join(import.meta.dirname, '../..');

test('README.md tells of the settings that there are', () => {
  const { files, problems } = readme(root);
  assert.deepEqual(problems, []);
  assert.deepEqual(stale(root, files), [], 'run npm run codegen');
});

test('only the section between the marks is written', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-readme-'));
  await writeFile(join(directory, 'README.md'), 'before\n<!-- settings -->\nold\n<!-- /settings -->\nafter\n');
  const text = readme(directory).files.get('README.md') ?? '';
  assert.match(text, /^before\n<!-- settings -->\n\| .*LANDFALL_PORT.*<!-- \/settings -->\nafter\n$/s);
  assert.doesNotMatch(text, /\bold\n/);

  await writeFile(join(directory, 'README.md'), 'no section');
  assert.deepEqual(readme(directory).problems, ['README.md has no settings section']);
});
