import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import mutations from './mutations.json' with { type: 'json' };
import { root } from './run-program.ts';

test('the text of each mutation stands once in its file', async () => {
  for (const { file, text } of mutations) {
    const source = await readFile(join(root, file), 'utf8');
    assert.equal(source.split(text).length, 2, `${file}: ${text}`);
  }
});
