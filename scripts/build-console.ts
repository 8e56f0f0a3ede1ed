// Builds the console when its sources differ from what `console/dist` was built from.
import { createHash } from 'node:crypto';
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exit } from 'node:process';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { root, runTool } from './run-program.ts';

const dist = join(root, 'console/dist');
const HASH_FILE = '.stamp';

/** Sources of the console's build; it imports `schema/` and no other workspace. */
const SOURCES = ['console/{src,public}/**/*.*', 'console/*.*', 'schema/**/*.{ts,json,graphql}', 'package-lock.json'];

const sourceHash = async (): Promise<string> => {
  const hash = createHash('sha256');
  // Another build under way has its own `dist.<pid>`.
  const isInstalled = (path: string): boolean => path.endsWith('node_modules') || /[\\/]dist(\.|$)/.test(path);
  const files = await Array.fromAsync(glob(SOURCES, { cwd: root, exclude: isInstalled }));
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(await readFile(join(root, file)));
  return hash.digest('hex');
};

/** Writes compressed copies of text files, which the gateway serves. */
const compressAll = async (directory: string): Promise<void> => {
  for await (const file of glob('**/*.{css,html,js,json,svg}', { cwd: directory })) {
    const path = join(directory, file);
    const bytes = await readFile(path);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
    await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  }
};

const requested = await sourceHash();
const built = await readFile(join(dist, HASH_FILE), 'utf8').catch(() => '');
if (built === requested) exit(0);

// Built beside and swapped in whole: a server that is running never sees half a console, a failed build changes nothing.
const fresh = `${dist}.${process.pid}`;
const old = `${fresh}.old`;
const code = await runTool('vite/bin/vite.js', [
  'build',
  'console',
  '--outDir',
  fresh,
  '--emptyOutDir',
  '--logLevel',
  'warn',
]);
if (code === 0) {
  await compressAll(fresh);
  await writeFile(join(fresh, HASH_FILE), requested);
  await rename(dist, old).catch(() => undefined); // the first build has none to move away
  await rename(fresh, dist);
}
await Promise.all([fresh, old].map((path) => rm(path, { recursive: true, force: true })));
exit(code);
