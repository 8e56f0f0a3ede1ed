import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const RECORDER = join(import.meta.dirname, 'name-recorder.fixture.ts');

/** Names that lead to this machine, and literals, of which the resolver asks nobody. */
const isLocal = (name: string): boolean =>
  /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|::1|::|0\.0\.0\.0)$/.test(name);

/** Record of the names that processes with `env` resolve. */
export const recordedNames = async (directory: string) => {
  const record = join(directory, 'names');
  await writeFile(record, '');
  const names = async (): Promise<readonly string[]> => [
    ...new Set((await readFile(record, 'utf8')).split('\n').filter((name) => name !== '')),
  ];
  return {
    env: { NAME_RECORD: record, NODE_OPTIONS: `--import=${RECORDER}` },
    names,
    outside: async () => (await names()).filter((name) => !isLocal(name)),
  };
};
