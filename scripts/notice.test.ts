import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import lockfile from '../package-lock.json' with { type: 'json' };
import { root } from './run-program.ts';

const PERMISSIVE = /^\(?(MIT|ISC|0BSD|BSD-[23]-Clause|Apache[- ]2\.0|BlueOak-1\.0\.0|Unlicense|CC-BY-4\.0)\b/;

const installed = Object.entries(lockfile.packages).flatMap(([path, entry]) => {
  const name = path.split('node_modules/').at(-1) ?? '';
  if (!path.includes('node_modules/') || 'link' in entry) return [];
  return [{ name, version: entry.version ?? '', license: 'license' in entry ? String(entry.license) : 'none' }];
});

test('NOTICE names every installed package under the Elastic License, with its version', async () => {
  const notice = await readFile(join(root, 'NOTICE'), 'utf8');
  const elastic = installed.filter(({ license }) => license === 'Elastic-2.0');

  assert.equal(elastic.length, notice.match(/^ {2}@apollo\//gm)?.length);
  for (const { name, version } of elastic) assert.match(notice, new RegExp(`${name} +${version} `));
});

test('every other licence is permissive, or that of a tool NOTICE names', async () => {
  const notice = await readFile(join(root, 'NOTICE'), 'utf8');
  const others = installed.filter(({ license }) => license !== 'Elastic-2.0' && !PERMISSIVE.test(license));
  const unnamed = others.filter(({ name, license }) => license !== 'MPL-2.0' || !notice.includes(baseName(name)));

  assert.deepEqual(unnamed, []);
});

/** A platform's build is named after its package: `lightningcss-linux-x64-gnu`. */
const baseName = (name: string): string => name.replace(/^(lightningcss)-.*/, '$1');
