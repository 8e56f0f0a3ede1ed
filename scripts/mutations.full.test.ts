// Changes rules of each module by a few characters, and expects the tests of the rule to fail.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { test } from 'node:test';
import mutations from './mutations.json' with { type: 'json' };
import { root } from './run-program.ts';

/** `text` stands once in `file`; with `replacement` in its place, `test` fails. */
type Mutation = (typeof mutations)[number];

const LIMIT_MS = 240_000;

/** Runs a mutation's test file. Answers its exit code and what it wrote. */
const runMutated = ({ test: file, ...mutation }: Mutation) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = execFile(
      execPath,
      ['--import', join(root, 'scripts/mutant.ts'), join(root, file)],
      {
        cwd: root,
        env: { ...env, LANDFALL_MUTATION: JSON.stringify(mutation) },
        timeout: LIMIT_MS,
        maxBuffer: 2 ** 26,
      },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });

for (const mutation of mutations)
  test(`${mutation.test} fails with ${mutation.file} mutated: ${mutation.replacement || `without ${mutation.text}`}`, async () => {
    const { code, output } = await runMutated(mutation);
    assert.match(output, /^MUTATED$/m, output);
    assert.notEqual(code, 0, 'the mutation survived');
    assert.match(output, /^ℹ fail [1-9]|^# fail [1-9]/m, output);
  });
