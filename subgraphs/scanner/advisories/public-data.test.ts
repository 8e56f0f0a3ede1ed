import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import { pep440Order } from '../packages/pep440-order.ts';
import { scoreVector } from './cvss-score.ts';
import { UnreadableDocument } from './document-fields.ts';
import { parseEpss } from './epss.ts';
import { parseKev } from './kev.ts';
import { readOsvFile } from './osv-reader.ts';
import type { OsvRecord } from './osv-record.ts';
import { compilePackage } from './package-advisories.ts';
import { parseSsvc } from './ssvc.ts';
import { readVexDocument } from './vex-reader.ts';

type File = readonly [path: string, text: string];

/** Files of an archive, sources and licences left out; skips the test where it is absent. */
const filesOf = (t: TestContext, name: string): readonly File[] => {
  const files = readPublicData(name);
  if (!files) t.skip('the public test data is not beside the repository');
  return [...(files ?? [])].filter(([path]) => /\.(?:json|ya?ml|md|csv)$|vectors_/.test(path));
};

/** Result of reading, or undefined for a refusal; any other error fails the test. */
const readOr = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof UnreadableDocument, String(error));
    return undefined;
  }
};

const recordsIn = (files: readonly File[]): readonly OsvRecord[] =>
  files.flatMap(([path, text]) => readOr(() => readOsvFile(path, text).record) ?? []);

/** Records that each archive has in the OSV format, of all its files. */
const DATABASES: readonly (readonly [archive: string, records: number, files: number])[] = [
  ['advisories-pypa', 1_328, 1_328],
  ['advisories-almalinux', 2_809, 2_809],
  ['advisories-bitnami', 3_717, 3_717],
  ['advisories-oss-fuzz', 2_013, 2_013],
  ['advisories-small', 7 + 74 + 254, 474],
  ['advisories-rubysec', 0, 679],
  ['advisories-php', 0, 804],
  ['advisory-samples', 60 + 23, 219],
];

test('every OSV record of the public databases is read, and every other file is refused', (t) => {
  for (const [archive, records, all] of DATABASES) {
    const files = filesOf(t, archive);
    if (files.length === 0) return;
    const read = recordsIn(files);
    assert.deepEqual([archive, read.length, files.length], [archive, records, all]);
    // Counted in the text, apart from the reader.
    const withdrawn = files.filter(
      ([, text]) => /^\s{0,2}"?withdrawn"?: ?"?'?\d/m.test(text) && /"?affected"?:/.test(text),
    );
    assert.equal(read.filter((record) => record.withdrawn !== null).length, withdrawn.length);
  }
});

test('the versions that PyPA lists lie in its ranges, but for three that its ranges leave out', (t) => {
  const strays = recordsIn(filesOf(t, 'advisories-pypa')).flatMap((record) =>
    record.affected.flatMap((entry) => {
      const { ecosystem, packageName, versions, ranges } = entry;
      if (ecosystem === null || packageName === null || ranges.every(({ type }) => type === 'GIT')) return [];
      const ranged = { ...record, withdrawn: null, affected: [{ ...entry, versions: [] }] };
      const compiled = compilePackage([ranged], { ecosystem, packageName, order: pep440Order });
      const isInside = (version: string): boolean => compiled.verdicts(version)[0]?.isAffected ?? false;
      return versions
        .filter((version) => pep440Order.isVersion(version) && !isInside(version))
        .map((version) => `${record.id} ${version}`);
    }),
  );
  if (readPublicData('advisories-pypa'))
    assert.deepEqual(strays.toSorted(), [
      'PYSEC-2021-114 2.11.6',
      'PYSEC-2023-177 23.9.0',
      'PYSEC-2023-177 23.9.0.post1',
    ]);
});

test('bug fixes and enhancements of AlmaLinux are informational, but for the one that names a CVE', (t) => {
  const records = recordsIn(filesOf(t, 'advisories-almalinux'));
  if (records.length === 0) return;
  const kinds = Map.groupBy(records, ({ informational }) => informational);
  assert.deepEqual([kinds.get('bugfix')?.length, kinds.get('enhancement')?.length], [464, 112]);
  const words = Map.groupBy(records, ({ severity }) => severity.vendorWords[0]);
  assert.ok((words.get('Important')?.length ?? 0) > 500 && (words.get('Moderate')?.length ?? 0) > 500);
});

test('every vector of the public CVSS suite has its score', (t) => {
  const lines = filesOf(t, 'cvss-vectors').flatMap(([, text]) =>
    text.split('\n').filter((line) => line.includes(' - ')),
  );
  if (lines.length === 0) return;
  const wrong = lines.filter((line) => {
    const [vector = '', scores = ''] = line.split(' - ');
    return scoreVector(vector)?.tenths !== Math.round(Math.abs(Number.parseFloat(scores.slice(1))) * 10);
  });
  assert.deepEqual([lines.length, wrong], [729 + 2 * 2_592 + 1_058, []]);
});

test('the catalogue of CISA is read whole', (t) => {
  const text = filesOf(t, 'exploitation').find(([path]) => path.endsWith('known_exploited_vulnerabilities.json'))?.[1];
  if (text === undefined) return;
  const { entries, publishedAt, problems } = parseKev(JSON.parse(text));
  const ransomware = text.match(/"knownRansomwareCampaignUse": "Known"/g)?.length;
  assert.deepEqual([entries.length, publishedAt, problems], [1_404, '2025-08-25T17:04:19Z', []]);
  assert.equal(entries.filter(({ isUsedInRansomware }) => isUsedInRansomware).length, ransomware);
  assert.ok(entries.every(({ dueDate }) => dueDate !== null));
});

test('EPSS files are read with their dates, and the one with another header is refused', async (t) => {
  const files = filesOf(t, 'exploitation').filter(([path]) => path.endsWith('.csv'));
  const found = await Promise.all(
    files.map(async ([path, text]) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      try {
        const { rows, publishedAt } = await parseEpss(new Blob([text]).stream());
        return [name, publishedAt, (await Array.fromAsync(rows)).length];
      } catch (error) {
        return [name, error instanceof UnreadableDocument];
      }
    }),
  );
  if (files.length === 0) return;
  assert.deepEqual(found.toSorted(), [
    ['epss_scores-2026-09-29.first40.csv', '2026-09-29T12:00:22Z', 40],
    ['example-1.csv', '2025-02-20T00:00:00Z', 5],
    ['invalid-header.csv', true],
    ['missing-date.csv', null, 5],
  ]);
});

test('the SSVC points of CISA are read in every combination', (t) => {
  const files = filesOf(t, 'exploitation').filter(([path]) => path.includes('vulnrichment') && path.endsWith('.json'));
  if (files.length === 0) return;
  const points = files.map(([, text]) => parseSsvc(JSON.parse(text)));
  const rejected = files.filter(([, text]) => text.includes('"REJECTED"')).length;
  assert.deepEqual([points.length, points.filter((one) => one === null).length], [40, rejected]);
  const combinations = points.flatMap((one) =>
    one ? [`${one.exploitation} ${one.automatable} ${one.technicalImpact}`] : [],
  );
  assert.equal(new Set(combinations).size, 3 * 2 * 2);
});

/** Entries of a document that state something, counted apart from the readers; undefined for what is no VEX. */
const entriesOf = (text: string): number | undefined => {
  const { bomFormat, document, statements, vulnerabilities = [] } = JSON.parse(text);
  if (bomFormat) return vulnerabilities.filter((one: { analysis?: unknown }) => one.analysis).length;
  return document?.csaf_version ? vulnerabilities.length : statements?.length;
};

test('every VEX document is read, statement by statement, and all other files are refused', (t) => {
  const files = [...filesOf(t, 'vex'), ...filesOf(t, 'advisory-samples').filter(([path]) => path.includes('/CSAF/'))];
  if (files.length === 0) return;
  const formats = files.map(([path, text]) => {
    const read = readOr(() => readVexDocument(Buffer.from(text)));
    assert.equal(read && new Set(read.statements.map(({ index }) => index)).size, entriesOf(text), path);
    return read?.format;
  });
  const count = (format: string | undefined): number => formats.filter((one) => one === format).length;
  assert.deepEqual([count('openvex'), count('csaf'), count('cyclonedx'), count(undefined)], [31, 15, 24, 21]);
});
