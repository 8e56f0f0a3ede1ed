import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlags } from './flags.ts';

test('flags are read, and one that is unknown is answered with those that there are', () => {
  const { role, worker } = parseFlags(['--role', 'edge', '--worker']);
  assert.deepEqual([role, worker], ['edge', true]);
  for (const args of [['--frob'], ['extra'], ['--role']])
    assert.throws(
      () => parseFlags(args),
      /^Error: [^\n]*(--frob|extra|--role)[^\n]*; there is --role <role>, [^\n]*\.$/,
    );
});
