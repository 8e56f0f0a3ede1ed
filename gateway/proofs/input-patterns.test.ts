import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestInstallation } from './test-installation.ts';

/** Pattern that stands for "not blank", which has a refusal of its own. */
const NOT_BLANK = '\\S';

/** Patterns of a schema that a refusal has no words for, by their paths. */
const wordless = (schema: unknown, path: string): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, refusal } = Object(schema);
  const isMissing = typeof pattern === 'string' && pattern !== NOT_BLANK && typeof refusal !== 'string';
  const inner = Object.entries(schema).flatMap(([name, member]) => wordless(member, `${path}.${name}`));
  return isMissing ? [path, ...inner] : inner;
};

test('an input of a pattern that people send says in words what it allows', async () => {
  await using installation = await createTestInstallation();
  // Agents are programs of the product.
  const operations = installation.operations.filter(({ spec }) => !spec.callers.includes('agent'));
  assert.deepEqual(
    operations.flatMap(({ spec }) => wordless(spec.input, spec.name)),
    [],
  );
  const worded = operations.filter(({ spec }) => JSON.stringify(spec.input).includes('"refusal"'));
  assert.ok(worded.length > 20, `${worded.length} operations`);
});
