/**
 * docs/specification.md: each row of the specification beside the tests that prove it.
 *
 * The rows are specification.json's and, for section 7.2, the code table's. A test claims one by its id, in its name
 * or in a comment before it: `spec: 4.9/deployments`, several separated by commas. A golden file claims in the same way.
 * The page is written without a run; a whole run of the tests refuses a claim whose test did not pass (proved-claims.ts).
 * A row that the committed page has as proved stays proved, unless somebody withdraws its claim with `--release`. A row
 * that is proved has a proof in `npm test`, and not in the full run alone.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codes } from './codes.ts';
import type { Outcome } from './output.ts';
import specification from './specification.json' with { type: 'json' };

const page = 'docs/specification.md';

type Row = {
  /** Section and slug, as in `4.9/deployments`. */
  readonly id: string;
  readonly title: string;
  readonly module: string;
};

type Section = { readonly section: string; readonly title: string; readonly rows: readonly Row[] };

/** Codes that any module raises are the kernel's to prove, the others the orchestrator's. */
const moduleOfCode = (code: string) => (/^(AUTH|PERM|VAL|RES|SYS)_/.test(code) ? 'kernel' : 'orchestrator');

const codeRows = Object.entries(codes)
  .filter(([code]) => /^[A-Z_]+$/.test(code))
  .map(([code, { meaning }]) => ({ id: `7.2/${code}`, title: meaning, module: moduleOfCode(code) }));

const bySection = (a: Section, b: Section) => a.section.localeCompare(b.section, 'en', { numeric: true });

const sections: readonly Section[] = [
  ...specification.map(({ section, title, module, rows }) => ({
    section,
    title,
    rows: Object.entries(rows).map(([slug, row]) => ({ id: `${section}/${slug}`, title: row, module })),
  })),
  { section: '7.2', title: 'Codes', rows: codeRows },
].toSorted(bySection);

export const rows: readonly Row[] = sections.flatMap((section) => section.rows);

/** The files under `root` whose word counts, by their path from it. */
const proofs = (root: string): string[] =>
  ['schema', 'subgraphs', 'rest-compat', 'gateway', 'console', 'e2e', 'scripts']
    .flatMap((workspace) =>
      globSync([`${workspace}/**/*.test.{ts,tsx}`, `${workspace}/golden/**/*.http`], {
        cwd: root,
        exclude: (path) => path.includes('node_modules'),
      }),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

const claimPattern = /\bspec: ((?:\d+(?:\.\d+)?|rulings)\/[\w-]+(?:, (?:\d+(?:\.\d+)?|rulings)\/[\w-]+)*)/g;

/** Row ids that a text claims. */
export const claimsOf = (text: string): string[] =>
  [...text.matchAll(claimPattern)].flatMap(([, ids = '']) => ids.split(', '));

/** Row id with the line of the text that claims it. */
export interface Claim {
  readonly id: string;
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Claims in all files of a repository. */
export const claimsIn = (root: string): Claim[] =>
  proofs(root).flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((text, index) => claimsOf(text).map((id) => ({ id, path, line: index + 1 }))),
  );

/** Whether only the full run executes a file. */
const isFullOnly = (path: string): boolean => /\.full\.test\.tsx?$/.test(path);

/**
 * Builds the page, and lists problems with the claims: ids of no row, rows that the full run alone proves, and rows whose
 * proof is missing (but with `isWithdrawing`).
 */
export function trace(root: string, isWithdrawing = false): Outcome {
  const claims = claimsIn(root);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = claims.filter(({ id }) => !known.has(id)).map(({ id, path }) => `${path}: no row ${id}`);

  const proved = new Map(
    rows.map(({ id }) => [id, [...new Set(claims.filter((c) => c.id === id).map((c) => c.path))]]),
  );
  const open = [...proved.values()].filter((paths) => paths.length === 0).length;
  const lost = committedProved(root).filter((id) => proved.get(id)?.length === 0);
  const problems = isWithdrawing ? [] : lost.map((id) => `${page}: ${id} was proved and is not any more`);
  const late = [...proved]
    .filter(([, paths]) => paths.length > 0 && paths.every(isFullOnly))
    .map(([id, paths]) => `${paths.join(', ')}: ${id} is proved by the full run only`);
  return { files: new Map([[page, render(proved, open)]]), problems: [...unknown, ...late, ...problems] };
}

/** Rows that the committed page lists as proved. New rows may be open; a removed row is left out. */
function committedProved(root: string): string[] {
  const text = existsSync(join(root, page)) ? readFileSync(join(root, page), 'utf8') : '';
  return [...text.matchAll(/^\| (\S+\/\S+) \| .* \| 🟢 /gm)].map(([, id = '']) => id);
}

type Proved = ReadonlyMap<string, readonly string[]>;

const isOpen = (proved: Proved) => (row: Row) => proved.get(row.id)?.length === 0;

const render = (proved: Proved, open: number): string => `# The specification, row by row

Generated by schema/docs.ts; do not edit. A row is proved by the tests and golden files that hold \`spec: \` and its id,
in a name or a comment before it, and open until one does. A whole run of the tests fails where a claimed test did not
run and pass. A proved row stays proved unless its claim is withdrawn; rows may be added open. Section "rulings" has what
was decided where the specification is open.

Open rows: ${open} of ${rows.length}

${summary(proved)}
${sections.map((section) => table(section, proved)).join('\n')}`;

function summary(proved: Proved): string {
  const modules = [...new Set(rows.map(({ module }) => module))].toSorted();
  const lines = modules.map((name) => {
    const own = rows.filter(({ module }) => module === name);
    const open = own.filter(isOpen(proved)).length;
    return `| ${name} | ${own.length - open} | ${open} |`;
  });
  return ['| Module | Proved | Open |', '|---|---|---|', ...lines, ''].join('\n');
}

function table({ section, title, rows }: Section, proved: Proved): string {
  const lines = rows.map((row) => {
    const files = (proved.get(row.id) ?? []).map((path) => `[${path}](../${path})`);
    return `| ${row.id} | ${row.title} | ${files.length > 0 ? `🟢 ${files.join(', ')}` : '🔴'} |`;
  });
  return [`## ${section} ${title}`, '', '| Row | What | Proof |', '|---|---|---|', ...lines, ''].join('\n');
}
