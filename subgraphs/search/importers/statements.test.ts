import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOne, importText } from '../testing/import-text.ts';

const openVex = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://fence.example/vex/1',
  author: 'Fence Works',
  timestamp: '2026-01-02T00:00:00Z',
  statements: [
    {
      vulnerability: { name: 'GHSA-2c2c-3f3f-4g4g', aliases: ['CVE-2026-10001'] },
      products: [{ '@id': 'pkg:oci/gatehouse@sha256%3Aaa', subcomponents: [{ '@id': 'pkg:npm/%40fence/gate@2.0.0' }] }],
      status: 'not_affected',
      justification: 'vulnerable_code_not_in_execute_path',
      impact_statement: 'Gates are opened by hand.',
    },
    { vulnerability: { name: 'CVE-2026-10003' }, status: 'perhaps' },
    { vulnerability: 'CVE-2026-10004', products: ['pkg:gem/latch'], status: 'fixed' },
  ],
};

test('statements of OpenVEX share the card of their vulnerability; a broken one costs itself alone', async () => {
  const { chunks, refusals } = await importText('x.json', JSON.stringify(openVex));
  const [first, second] = chunks;
  assert.partialDeepStrictEqual(first, {
    domain: 'vex',
    entityKey: 'vulnerability:CVE-2026-10001',
    title: 'CVE-2026-10001: not affected in gatehouse, @fence/gate',
    packages: ['gatehouse', '@fence/gate'],
    attributes: { status: 'not_affected', justification: 'vulnerable_code_not_in_execute_path', author: 'Fence Works' },
  });
  assert.match(first?.body ?? '', /Gates are opened by hand\./);
  assert.equal(second?.ecosystem, 'RubyGems');
  assert.deepEqual(
    refusals.map(({ reason }) => reason),
    ["statements[1]: status is 'perhaps', none of OpenVEX"],
  );
});

const csaf = {
  document: {
    csaf_version: '2.0',
    category: 'csaf_vex',
    title: 'Gatehouse and the latch',
    publisher: { name: 'Fence Works' },
    tracking: { id: 'FW-2026:1', current_release_date: '2026-01-03T00:00:00Z' },
    aggregate_severity: { text: 'Important' },
  },
  product_tree: {
    branches: [
      {
        category: 'vendor',
        branches: [
          {
            product: {
              name: 'latch 1.4',
              product_id: 'L',
              product_identification_helper: { purl: 'pkg:rpm/fence/latch@1.4' },
            },
          },
          { product: { name: 'Gatehouse 9', product_id: 'G' } },
        ],
      },
    ],
    relationships: [
      {
        product_reference: 'L',
        relates_to_product_reference: 'G',
        full_product_name: { name: 'latch of Gatehouse 9', product_id: 'G:L' },
      },
    ],
  },
  vulnerabilities: [
    {
      cve: 'CVE-2026-10005',
      title: 'Latch can be lifted',
      notes: [{ category: 'description', text: 'A thin blade lifts the latch.' }],
      product_status: { fixed: ['G:L'], known_not_affected: ['G'] },
      flags: [{ label: 'component_not_present', product_ids: ['G'] }],
      scores: [
        {
          products: ['G:L'],
          cvss_v3: {
            baseScore: 7.1,
            baseSeverity: 'HIGH',
            vectorString: 'CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:N',
          },
        },
      ],
    },
    { title: 'nameless' },
  ],
};

test('a CSAF document becomes a statement a vulnerability, its products by their names', async () => {
  const { chunks, refusals } = await importText('c.json', JSON.stringify(csaf));
  assert.partialDeepStrictEqual(chunks[0], {
    domain: 'vex',
    source: 'csaf',
    entityKey: 'vulnerability:CVE-2026-10005',
    title: 'CVE-2026-10005: Latch can be lifted',
    packages: ['latch'],
    severity: 'medium',
    ecosystem: 'fence',
    attributes: {
      status: 'fixed',
      statuses: { fixed: 1, not_affected: 1 },
      justification: 'component_not_present',
      fixed: ['1.4'],
    },
  });
  assert.match(chunks[0]?.body ?? '', /fixed: latch of Gatehouse 9\./);
  assert.deepEqual(
    refusals.map(({ reason }) => reason),
    ['vulnerabilities[1]: a vulnerability has neither cve nor ids'],
  );
});

test('a CSAF advisory about no vulnerability is a document of its own', async () => {
  const chunk = await importOne('c.json', JSON.stringify({ ...csaf, vulnerabilities: [] }));
  assert.partialDeepStrictEqual(chunk, {
    entityType: 'document',
    entityKey: 'document:csaf/FW-2026:1',
    severity: 'high',
  });
});

const row = {
  cveID: 'CVE-2026-10006',
  vendorProject: 'Fence Works',
  product: 'Gatehouse',
  vulnerabilityName: 'Gatehouse lets everybody in',
  dateAdded: '2026-01-05',
  shortDescription: 'Whoever knocks three times is let in, "friend" or not.',
  requiredAction: 'Apply updates',
  dueDate: '2026-01-26',
  knownRansomwareCampaignUse: 'Known',
  notes: '',
};

const assertKev = (chunk: unknown): void =>
  assert.partialDeepStrictEqual(chunk, {
    domain: 'findings',
    source: 'kev',
    documentKey: 'CVE-2026-10006',
    title: 'Gatehouse lets everybody in',
    packages: ['Gatehouse', 'Fence Works Gatehouse'],
    attributes: { kev: true, ransomware: true, dueDate: '2026-01-26', requiredAction: 'Apply updates' },
  });

test('the catalogue of exploited vulnerabilities is read as JSON and as CSV', async () => {
  const json = { catalogVersion: '2026.01.05', vulnerabilities: [row, { ...row, cveID: 'nothing' }] };
  const fromJson = await importText('kev.json', JSON.stringify(json, null, 1));
  assertKev(fromJson.chunks[0]);
  assert.deepEqual(fromJson.refusals, [
    { file: 'kev.json', line: 16, reason: "vulnerabilities[1]: cveID is 'nothing', no CVE" },
  ]);
  const cell = (value: string) => `"${value.replaceAll('"', '""')}"`;
  const line = Object.values(row).map(cell).join(',');
  const text = [Object.keys(row).join(','), line, 'CVE-2026-1,too few', line.replace('10006', '10007')].join('\r\n');
  const fromCsv = await importText('kev.csv', text);
  assertKev(fromCsv.chunks[0]);
  assert.equal(fromCsv.chunks[1]?.documentKey, 'CVE-2026-10007');
  assert.deepEqual(
    fromCsv.refusals.map(({ line: at, reason }) => [at, reason]),
    [[3, 'the row has 2 cells, the header 10']],
  );
});

/** Keys and titles of a document, by its path. */
const statementsAt = async (path: string, document: object) =>
  (await importText(path, JSON.stringify(document))).chunks.map(
    ({ documentKey, body }) => [documentKey, body] as const,
  );

const about = (image: string, status = 'not_affected') => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://fence.example/vex/shared',
  statements: [
    { vulnerability: 'CVE-2026-10001', products: [image], status },
    { vulnerability: 'CVE-2026-10001', products: [image], status: 'under_investigation' },
    { vulnerability: 'CVE-2026-10001', products: [image, 'pkg:npm/gate'], status: 'fixed' },
  ],
});

test('statements of documents that share one @id are kept apart, wherever they lie', async () => {
  const all = [
    ...(await statementsAt('pkg/oci/one/vex.json', about('pkg:oci/one'))),
    ...(await statementsAt('pkg/oci/two/vex.json', about('pkg:oci/one'))),
    // As in a repository with the same last folders below two registries.
    ...(await statementsAt('pkg/oci/two/vex.json', about('pkg:oci/two'))),
  ];
  assert.equal(new Set(all.map(([key]) => key)).size, 9);
});

test('a statement keeps its key where the document says something else of the same products', async () => {
  const before = await statementsAt('pkg/vex.json', about('pkg:oci/one'));
  const after = await statementsAt('pkg/vex.json', about('pkg:oci/one', 'affected'));
  assert.deepEqual(
    before.map(([key]) => key),
    after.map(([key]) => key),
  );
  assert.notDeepEqual(before, after);
});

test('statements of a CSAF document about one CVE are kept apart, and so are documents of two publishers', async () => {
  const duplicated = { ...csaf, vulnerabilities: [...csaf.vulnerabilities, ...csaf.vulnerabilities] };
  const others = { ...csaf, document: { ...csaf.document, publisher: { namespace: 'https://other.example' } } };
  const one = await statementsAt('white/2026/fw-2026-1.json', duplicated);
  const other = await statementsAt('white/2026/fw-2026-1.json', others);
  const keys = [...one, ...other].map(([key]) => key);
  assert.equal(new Set(keys).size, keys.length);
});
