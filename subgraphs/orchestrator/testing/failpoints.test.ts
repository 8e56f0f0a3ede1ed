import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { failpoints as killedAt } from '../running/faults/crash.fixture.ts';

const own = new URL('..', import.meta.url);
const isForTests = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file);

const textsOf = async (expected: (file: string) => boolean): Promise<string[]> => {
  const files = await Array.fromAsync(glob('**/*.ts', { cwd: own }));
  return Promise.all(files.filter(expected).map((file) => readFile(new URL(file, own), 'utf8')));
};

/**
 * Failpoints of deployments and of the agents' listener are covered by the crash tests; each other one needs a test of
 * its own.
 */
test('no failpoint is without a test that dies there', async () => {
  const sources = await textsOf((file) => !isForTests(file));
  const named = sources.flatMap((text) => [...text.matchAll(/\bfailpoint\(([^)]*)\)/g)].map(([, name = '']) => name));
  const odd = named.filter((name) => !/^'[a-z]+(\.[a-z]+)+'$/.test(name));
  assert.deepEqual(odd, [], 'a name that is put together is found by nobody');
  const names = new Set(named.flatMap((name) => /^'(.+)'$/.exec(name)?.slice(1) ?? []));
  const killed = new Set(await killedAt());
  const tests = await textsOf((file) => isForTests(file) && !file.endsWith('/failpoints.test.ts'));
  const remaining = [...names].filter((name) => !killed.has(name) && !tests.some((text) => text.includes(`'${name}'`)));
  assert.deepEqual(remaining, []);
  assert(killed.isSubsetOf(names));
  assert(killed.size > 15 && names.size > killed.size);
});
