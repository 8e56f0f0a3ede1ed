import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import lockfile from '../package-lock.json' with { type: 'json' };
import { root } from './run-program.ts';

const PERMISSIVE = /^\(?(MIT|ISC|0BSD|BSD-[23]-Clause|Apache[- ]2\.0|BlueOak-1\.0\.0|Unlicense|CC-BY-4\.0)\b/;

/** Words that begin the permission of the MIT licence, or its name under a heading of a read-me. */
const MIT_TEXT = /Permission is hereby granted, free of charge, to any person obtaining|^## License *\n+ *\(?MIT\b/im;

/** Text of a file, or nothing if the package has no such file. */
const textOf = (...path: readonly string[]): Promise<string> => readFile(join(root, ...path), 'utf8').catch(() => '');

/**
 * Licence of a package whose manifest has no `license`, so that the lock file has none: the old list `licenses`, else
 * the text in its LICENSE or its read-me.
 */
const oldFormLicense = async (path: string): Promise<string> => {
  const { licenses = [] }: { licenses?: readonly { readonly type: string }[] } = JSON.parse(
    await readFile(join(root, path, 'package.json'), 'utf8'),
  );
  if (licenses.length > 0) return licenses.map(({ type }) => type).join(' AND ');
  const texts = await Promise.all(['LICENSE', 'Readme.md', 'README.md'].map((file) => textOf(path, file)));
  return texts.some((text) => MIT_TEXT.test(text)) ? 'MIT' : 'none';
};

const installed = await Promise.all(
  Object.entries(lockfile.packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !('link' in entry))
    .map(async ([path, entry]) => ({
      name: path.split('node_modules/').at(-1) ?? '',
      version: 'version' in entry ? entry.version : '',
      license: 'license' in entry ? String(entry.license) : await oldFormLicense(path),
    })),
);

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
