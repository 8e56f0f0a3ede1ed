import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { readSbom } from './read-sbom.ts';
import type { Sbom } from './sbom.ts';
import { SbomError } from './sbom-error.ts';

const data = join(import.meta.dirname, '../../../../shared/data');

/** Files of an archive: path and bytes. */
const filesOf = (archive: string): [path: string, bytes: Buffer][] => {
  const folder = mkdtempSync(join(tmpdir(), 'sboms-'));
  try {
    execFileSync('tar', ['xzf', join(data, archive), '-C', folder]);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return entries.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const attempt = async (bytes: Buffer): Promise<Sbom | SbomError> => {
  try {
    return await readSbom(
      (async function* () {
        yield bytes;
      })(),
    );
  } catch (error) {
    if (error instanceof SbomError) return error;
    throw error;
  }
};

const membersOf = (value: unknown, name: string): unknown[] => {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return Array.isArray(member) ? member : [];
};

const countNested = (value: unknown): number =>
  membersOf(value, 'components').reduce((sum: number, component) => sum + 1 + countNested(component), 0);

/** Counts components without the reader. */
const countOf = (text: string): number => {
  if (text.startsWith('<'))
    return (text.match(/<component\b/g)?.length ?? 0) - (text.match(/<metadata>[\s\S]*?<component\b/)?.length ?? 0);
  if (!/^\ufeff?\s*\{/.test(text)) return text.match(/^PackageName:/gm)?.length ?? 0;
  const document: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
  return countNested(document) + membersOf(document, 'packages').length;
};

// Licence ids, and which licences of one component may be mixed: no scan reads them, and of six public bills of real
// programs one mixes licences and one has an empty licence, which a refusal would leave without a scan.
const LENIENT =
  /^invalid-(?:license-choice|license-id|license-missing-id-and-name|metadata-license|license-declared-concluded-mix)-/;

test('public documents are read with every component, or refused', async (t) => {
  if (!existsSync(data)) return t.skip('the public documents are not beside the repository');
  const suite = filesOf('cyclonedx-tests.tar.gz').filter(([path]) => /\.(?:json|xml)$/.test(path));
  for (const [path, bytes] of suite) {
    const name = basename(path);
    const isRead = !((await attempt(bytes)) instanceof SbomError);
    if (!LENIENT.test(name)) assert.equal(isRead, name.startsWith('valid-'), name);
  }
  const refused: string[] = [];
  for (const [path, bytes] of ['spdx-documents.tar.gz', 'sboms-in-the-wild.tar.gz'].flatMap(filesOf)) {
    const sbom = await attempt(bytes);
    if (sbom instanceof SbomError) refused.push(`${sbom.reason} ${basename(path)}`);
    else assert.equal(sbom.components.length, countOf(bytes.toString()), path);
  }
  const unexpected = refused.filter(
    (line) => !/^(?:unsupported_|not_an_sbom (?:SOURCES|LICENSE|scanoss|.*csv))/.test(line),
  );
  assert.deepEqual(unexpected, []);
});
