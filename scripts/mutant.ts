// Loaded before a test file: one source file of the process is read with a piece of its text replaced.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { env } from 'node:process';
import { pathToFileURL } from 'node:url';
import { root } from './run-program.ts';

const { file, text, replacement }: { file: string; text: string; replacement: string } = JSON.parse(
  env.LANDFALL_MUTATION ?? '',
);
const mutated = pathToFileURL(join(root, file)).href;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== mutated) return loaded;
    const source = String(loaded.source);
    if (source.split(text).length !== 2) throw new Error(`${file} does not hold this once: ${text}`);
    process.stderr.write('MUTATED\n');
    return { ...loaded, source: source.replace(text, () => replacement) };
  },
});
