// Exports that no other file imports.
import { type Breach, lineOf, type Source, targetOf } from './sources.ts';

const DECLARED = /^export (?:async )?(?:const|let|function\*?|class|interface|type) ([A-Za-z_]\w*)/gm;
const LISTED = /^export \{([^}]*)\}(?: from '[^']+')?;/gm;
/** Import or re-export of names from one of our own files. */
const NAMED = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+['"]([^'"]+)['"]/gm;
/** Import that may use every export: `import * as store`, `export * from`, `await import('…')`, `new URL('./x.worker.ts')`. */
const WHOLE =
  /^(?:import|export)\s+(?:type\s+)?\*(?:\s+as\s+\w+)?\s+from\s+'([^']+)'|\bimport\(\s*'([^']+)'|\bimport\('([^']+)'\)/gm;
/** Files whose exports are asked for by other means: a tool's configuration, and stores that the PREPARE test loads. */
const TOOLS = /(?:^|\/)[\w-]+\.config\.ts$|\/prepare\.fixture\.ts$/;

const GENERATED = /(?:\/generated\/|[/.]generated\.ts$)/;

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '');

/** The file that a target means: a specifier of another workspace has no extension. */
const fileOf = (target: string, files: ReadonlySet<string>): string | undefined =>
  [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((path) => files.has(path));

const exportsOf = ({ text }: Source): Map<string, number> => {
  const found = new Map<string, number>();
  for (const match of text.matchAll(DECLARED)) found.set(match[1] ?? '', lineOf(text, match.index));
  for (const match of text.matchAll(LISTED)) {
    for (const name of namesIn(match[1] ?? '')) found.set(name.split(' as ').at(-1) ?? name, lineOf(text, match.index));
  }
  return found;
};

/** Finds the exported names that no file imports. */
export const checkExports = (sources: readonly Source[]): Breach[] => {
  const files = new Set(sources.map(({ file }) => file));
  const used = new Set<string>();
  const complete = new Set<string>();
  for (const { file, text } of sources) {
    for (const [, names = '', specifier = ''] of text.matchAll(NAMED)) {
      const target = fileOf(targetOf({ file, specifier }) ?? '', files);
      if (target) for (const name of namesIn(names)) used.add(`${target} ${name.split(' as ')[0]}`);
    }
    for (const match of text.matchAll(WHOLE)) {
      const target = fileOf(targetOf({ file, specifier: match[1] ?? match[2] ?? match[3] ?? '' }) ?? '', files);
      if (target) complete.add(target);
    }
  }
  return sources
    .filter(({ file }) => !complete.has(file) && !TOOLS.test(file) && !GENERATED.test(file))
    .flatMap((source) =>
      [...exportsOf(source)]
        .filter(([name]) => !used.has(`${source.file} ${name}`))
        .map(([name, line]) => ({ file: source.file, line, message: `nobody imports ${name}` })),
    );
};
