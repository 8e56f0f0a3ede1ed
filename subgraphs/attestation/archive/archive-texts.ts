import { readFileSync } from 'node:fs';
import { scriptHead } from './script-head.ts';

const GUIDE = readFileSync(new URL('./package/README.txt', import.meta.url), 'utf8');

export interface ListedStatement {
  /** Name of the directory: ASCII, no slash. */
  readonly directory: string;
  readonly predicateType: string;
  readonly meaning: string;
  /** Name of the environment; undefined if the statement is about none. */
  readonly environment: string | undefined;
  readonly signedAt: Date;
}

/** Statement of an image that is left out of an archive. */
export interface OmittedStatement {
  readonly component: string;
  readonly subject: string;
  readonly predicateType: string;
  readonly size: number;
}

/** Makes a name of unknown origin printable on one line, without characters that a terminal interprets. */
const printable = (text: string): string => text.slice(0, 200).replaceAll(/\p{C}/gu, '\uFFFD');

const titled = (title: string, ...lines: readonly string[]): string =>
  ['', title, '='.repeat(title.length), '', ...lines, ''].join('\n');

/** Aligns columns to their widest cell. */
const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
};

const tableOf = (statements: readonly ListedStatement[]): string =>
  titled(
    'Which statement is where',
    ...aligned([
      ['directory', 'signed at', 'what it says', 'environment'],
      ...statements.map(({ directory, signedAt, meaning, environment = '-' }) => [
        directory,
        `${signedAt.toISOString().slice(0, 19)}Z`,
        meaning,
        printable(environment),
      ]),
    ]),
  );

const leftOf = (remaining: readonly OmittedStatement[]): string =>
  remaining.length === 0
    ? ''
    : titled(
        'What is not in this archive',
        'These came with the images and are left out: they are too large, or nobody who is known signed them. The registry',
        'has them beside the image that is named.',
        '',
        ...aligned([
          ['component', 'image', 'bytes', 'type'],
          ...remaining.map(({ component, subject, size, predicateType }) =>
            [component, subject, String(size), predicateType].map(printable),
          ),
        ]),
      );

const brokenOf = (directories: readonly string[]): string =>
  directories.length === 0
    ? ''
    : titled(
        'What could not be read',
        'The platform attested these, but what it has stored of them is no bundle of its own any more. Ask whoever runs it.',
        '',
        ...directories.map((directory) => `  ${directory}`),
      );

/** Writes README.txt of an archive: its contents, how to check them, the index of statements, and what was left out. */
export const readmeOf = (
  statements: readonly ListedStatement[],
  remaining: readonly OmittedStatement[],
  broken: readonly string[],
): string => GUIDE + tableOf(statements) + leftOf(remaining) + brokenOf(broken);

/** Short predicate type, such as `deployment@v1`; a URI that ends in a bare version gives the name before it, too. */
const shortTypeOf = (predicateType: string): string =>
  /[^/]+\/v[0-9.]+$/.exec(predicateType)?.[0] ?? predicateType.slice(predicateType.lastIndexOf('/') + 1);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const HEAD = `${scriptHead('Checks every statement of this archive', 'trust.json')}

what='a file is not as MANIFEST.sha256 has it'
sha256sum --check --strict --quiet MANIFEST.sha256 > "$said" 2>&1
what='trusted_root.json is not as in trust.json'
printf '"trustedRoot":%s' "$(tr -d '[:space:]' < trusted_root.json)" > "$said"
tr -d '[:space:]' < trust.json | grep -qFf "$said"`;

const checkOf = ({ directory, predicateType, environment = '', recipe }: CheckedStatement): string => {
  const line = `ok  ${directory}  ${shortTypeOf(predicateType)} ${printable(environment)}`.trimEnd();
  return `what=${quoted(directory)}\n(\ncd ${quoted(directory)}\n${recipe}) > "$said" 2>&1\necho ${quoted(line)}`;
};

/** Statement with the commands that check it in its directory. */
interface CheckedStatement extends Pick<ListedStatement, 'directory' | 'predicateType' | 'environment'> {
  readonly recipe: string;
}

/** Counts statements by type: `2 statements (1 deployment@v1, 1 evidence@v1)`. */
const countOf = (statements: readonly CheckedStatement[]): string => {
  const kinds = Map.groupBy(statements, ({ predicateType }) => printable(shortTypeOf(predicateType)));
  const counts = [...kinds].map(([kind, each]) => `${each.length} ${kind}`);
  return `${statements.length} ${statements.length === 1 ? 'statement' : 'statements'} (${counts.join(', ')})`;
};

const endOf = (name: string, statements: readonly CheckedStatement[]): string =>
  statements.length === 0
    ? `what=${quoted(`${name} has no statement of the platform: there is nothing to check`)}\n: > "$said"\nexit 1\n`
    : `echo ${quoted(`OK: ${name}: ${countOf(statements)}: every file, signature, log entry, inclusion proof and checkpoint`)}\n`;

/** Writes verify.sh of an archive: a line for each statement, then OK. It fails for an archive without statements. */
export const verifyScriptOf = (
  name: string,
  statements: readonly CheckedStatement[],
  broken: readonly string[],
): string =>
  [
    HEAD,
    ...statements.map(checkOf),
    ...broken.map((directory) => `echo ${quoted(`LEFT OUT  ${directory}  what is stored of it cannot be read`)}`),
    endOf(name, statements),
  ].join('\n\n');
