// Test files that a change reaches by imports.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { importsOf, readSources, type Source, targetOf, workspaceOf } from './lint/sources.ts';
import { root } from './run-program.ts';

const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

/** Whether a file is a module's index, the only one that other workspaces import. */
const isIndex = (file: string): boolean => /^subgraphs\/[^/]+\/index\.ts$/.test(file);

/** Files by those that import them. */
const importersOf = (sources: readonly Source[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const files = new Set(sources.map(({ file }) => file));
  const importers = new Map<string, Set<string>>();
  for (const source of sources)
    for (const found of importsOf(source)) {
      const target = targetOf(found);
      const imported = target === undefined ? undefined : [target, `${target}.ts`].find((path) => files.has(path));
      if (imported !== undefined) importers.set(imported, (importers.get(imported) ?? new Set()).add(source.file));
    }
  return importers;
};

/** Test files that no import leads to: browser tests of a feature, replays for a golden file, those beside SQL and SDL. */
const testsInFolder = (file: string, tests: readonly string[]): readonly string[] => {
  const [, feature] = /^console\/src\/features\/([^/]+)\//.exec(file) ?? [];
  if (feature !== undefined) return tests.filter((test) => test.startsWith(`e2e/${feature}`));
  if (/\.tsx?$/.test(file)) return [];
  if (file.startsWith('rest-compat/golden/')) return tests.filter((test) => test === 'rest-compat/golden.test.ts');
  return tests.filter((test) => workspaceOf(test) === workspaceOf(file));
};

/** Test files that changed files reach by imports or location. Beyond a module's index, only test files count. */
export const testsReached = (sources: readonly Source[], changed: readonly string[]): string[] => {
  const importers = importersOf(sources);
  const files = new Set(sources.map(({ file }) => file));
  const tests = [...files].filter(isTest);
  const reached = new Set(changed.filter((file) => files.has(file)));
  for (const file of reached)
    for (const importer of importers.get(file) ?? [])
      if (!isIndex(file) || workspaceOf(importer) === workspaceOf(file) || isTest(importer)) reached.add(importer);
  const neighbour = changed.flatMap((file) => testsInFolder(file, tests));
  return [...new Set([...[...reached].filter(isTest), ...neighbour])].toSorted();
};

const git = async (...args: readonly string[]): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('git', args, { cwd: root });
  return stdout.split('\n').filter((line) => line !== '');
};

/** Files that differ from the merge base with main, uncommitted changes included. */
const changedFiles = async (): Promise<string[]> => {
  const main = await git('merge-base', 'HEAD', 'main').catch(() => git('merge-base', 'HEAD', 'origin/main'));
  const tracked = await git('diff', '--name-only', main[0] ?? 'HEAD');
  return [...tracked, ...(await git('ls-files', '--others', '--exclude-standard'))];
};

/** Test files that depend on files changed since main. */
export const changedTests = async (): Promise<string[]> => testsReached(await readSources(root), await changedFiles());
