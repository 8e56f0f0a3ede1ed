import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { formatPurl } from '../packages/purl.ts';
import { UnreadableDocument } from './document-fields.ts';
import { readVexDocument } from './vex-reader.ts';
import type { VexReference } from './vex-statement.ts';

const HASH = 'ab'.repeat(32);

const read = (document: unknown) => readVexDocument(Buffer.from(JSON.stringify(document)));

/** Package URL, otherwise hash, otherwise the name in brackets. */
const textOf = ({ purl, hashes, name }: VexReference): string => (purl ? formatPurl(purl) : (hashes[0] ?? `(${name})`));

const namesOf = (document: unknown) =>
  read(document).statements.map(({ products }) =>
    products.map((product) => [textOf(product), ...product.subcomponents.map(textOf)].join(' > ')),
  );

const openVex = (...statements: readonly unknown[]) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://gate.example/vex',
  timestamp: '2026-01-02T03:04:05.67-01:00',
  statements,
});

test('a statement of OpenVEX has its place in the document, its status, reason and time', () => {
  const document = openVex(
    { vulnerability: { name: 'CVE-2026-1000' }, products: [{ '@id': 'pkg:oci/gate' }], status: 'perhaps' },
    {
      vulnerability: { '@id': 'https://nvd.example/vuln/CVE-2026-1001', aliases: ['ghsa-2C2C-3f3f-4g4g'] },
      products: [{ '@id': 'pkg:oci/gate' }],
      status: 'not_affected',
      justification: 'component_not_present',
      timestamp: '2026-02-03T00:00:00Z',
    },
  );
  const { statements, digest, issuedAt, problems } = read(document);
  assert.equal(digest, sha256(JSON.stringify(document)));
  assert.equal(issuedAt, '2026-01-02T04:04:05.670Z');
  assert.partialDeepStrictEqual(statements[0], {
    documentDigest: digest,
    index: 1,
    vulnerabilityIds: ['CVE-2026-1001', 'GHSA-2c2c-3f3f-4g4g'],
    status: 'not_affected',
    justification: 'component_not_present',
    statedAt: '2026-02-03T00:00:00.000Z',
  });
  assert.deepEqual(problems, [{ path: 'statements[0]', reason: 'the status perhaps is none of OpenVEX' }]);
});

test('products of OpenVEX are objects or texts, with hashes and subcomponents', () => {
  const status = 'fixed';
  const vulnerability = 'CVE-2026-1000';
  assert.deepEqual(
    namesOf(
      openVex(
        { vulnerability, status, products: ['pkg:npm/gate@1.0.0'], subcomponents: ['pkg:npm/hinge'] },
        { vulnerability, status, products: [{ '@id': 'gate', identifiers: { purl: 'pkg:npm/gate' } }] },
        { vulnerability, status, products: [{ '@id': 'gate', hashes: { 'sha-256': HASH.toUpperCase() } }] },
        { vulnerability, status, products: [{ '@id': 'pkg:oci/gate', subcomponents: [{ '@id': '[ERROR] none' }] }] },
      ),
    ),
    [['pkg:npm/gate@1.0.0 > pkg:npm/hinge'], ['pkg:npm/gate'], [`sha256:${HASH}`], ['pkg:oci/gate > ([ERROR] none)']],
  );
});

test('an image is known by the digest in its package URL', () => {
  const hashesOf = (product: string) =>
    read(openVex({ vulnerability: 'CVE-2026-1', status: 'affected', products: [product] })).statements[0]?.products[0]
      ?.hashes;
  assert.deepEqual(hashesOf(`pkg:oci/gate@sha256%3A${HASH}`), [`sha256:${HASH}`]);
  assert.deepEqual(hashesOf(`pkg:docker/acme/gate@sha256:${HASH}`), [`sha256:${HASH}`]);
  assert.deepEqual(hashesOf('pkg:docker/acme/gate@1.0.0'), []);
  assert.deepEqual(hashesOf(`pkg:generic/gate@sha256:${HASH}`), []);
});

test('products that match nothing and not_affected without a reason are reported', () => {
  const { statements, problems } = read(
    openVex({ vulnerability: 'CVE-2026-1000', status: 'not_affected', products: ['pkg:npm/', 'Gate 1.0'] }),
  );
  assert.equal(statements.length, 1);
  assert.deepEqual(problems, [
    {
      path: 'statements[0]',
      reason: '2 products or components have neither a package URL nor a hash, such as “pkg:npm/”',
    },
    { path: 'statements[0]', reason: 'not_affected has no justification and no impact statement' },
  ]);
});

const product = (product_id: string, purl?: string) => ({
  category: 'product_version',
  product: { product_id, name: product_id, ...(purl && { product_identification_helper: { purl } }) },
});

const relationship = (product_id: string, component: string, platform: string) => ({
  category: 'default_component_of',
  full_product_name: { product_id, name: product_id },
  product_reference: component,
  relates_to_product_reference: platform,
});

const csaf = (vulnerability: object) => ({
  document: { csaf_version: '2.0', tracking: { id: 'G-1', current_release_date: '2026-01-02T00:00:00Z' } },
  product_tree: {
    branches: [
      { branches: [product('platform'), product('image', 'pkg:oci/gate'), product('hinge', 'pkg:rpm/gate/hinge@1.0')] },
    ],
    full_product_names: [
      {
        product_id: 'file',
        name: 'file',
        product_identification_helper: { hashes: [{ file_hashes: [{ algorithm: 'sha256', value: HASH }] }] },
      },
    ],
    relationships: [
      relationship('hinge-in-platform', 'hinge', 'platform'),
      relationship('hinge-in-image', 'hinge', 'image'),
    ],
    product_groups: [{ group_id: 'all', product_ids: ['image', 'file'] }],
  },
  vulnerabilities: [{ cve: 'CVE-2026-1000', ids: [{ text: 'GATE-7' }], ...vulnerability }],
});

test('products of CSAF are resolved through branches, full names and relationships', () => {
  const products = ['hinge-in-platform', 'hinge-in-image', 'file', 'image', 'unknown'];
  assert.deepEqual(namesOf(csaf({ product_status: { known_affected: products } })), [
    ['pkg:rpm/gate/hinge@1.0', 'pkg:oci/gate > pkg:rpm/gate/hinge@1.0', `sha256:${HASH}`, 'pkg:oci/gate', '(unknown)'],
  ]);
});

test('a vulnerability of CSAF gives a statement for each status and reason of its products', () => {
  const { statements, problems } = read(
    csaf({
      product_status: {
        first_fixed: ['hinge'],
        recommended: ['image'],
        known_not_affected: ['image', 'file', 'hinge-in-image'],
      },
      flags: [{ label: 'component_not_present', group_ids: ['all'] }],
      threats: [
        { category: 'impact', details: 'Important' },
        { category: 'impact', details: 'No hinge.', product_ids: ['file'] },
      ],
    }),
  );
  assert.deepEqual(
    statements.map(({ index, status, justification, impactStatement }) => [
      index,
      status,
      justification,
      impactStatement,
    ]),
    [
      [0, 'fixed', null, null],
      [0, 'not_affected', 'component_not_present', null],
      [0, 'not_affected', 'component_not_present', 'No hinge.'],
      [0, 'not_affected', null, null],
    ],
  );
  assert.deepEqual(statements[0]?.vulnerabilityIds, ['CVE-2026-1000', 'GATE-7']);
  assert.equal(problems.length, 1);
});

const cycloneDx = (...vulnerabilities: readonly object[]) => ({
  bomFormat: 'CycloneDX',
  metadata: { timestamp: '2026-01-02T00:00:00Z', component: { 'bom-ref': 'gate', name: 'Gate', purl: 'pkg:oci/gate' } },
  components: [
    { 'bom-ref': 'a', name: 'a', components: [{ 'bom-ref': 'hinge', name: 'hinge', purl: 'pkg:npm/hinge' }] },
  ],
  vulnerabilities,
});

test('analyses of CycloneDX are statements; a vulnerability without one is none', () => {
  const { statements, problems } = read(
    cycloneDx(
      { id: 'CVE-2026-1000', affects: [{ ref: 'gate' }] },
      { id: 'CVE-2026-1001', analysis: { state: 'false_positive', detail: 'No hinge.' }, affects: [{ ref: 'gate' }] },
      { id: 'CVE-2026-1002', analysis: { state: 'resolved' }, affects: [{ ref: 'hinge' }] },
      { id: 'CVE-2026-1003', analysis: { state: 'unsure' }, affects: [{ ref: 'gate' }] },
    ),
  );
  assert.deepEqual(
    statements.map(({ index, status, impactStatement }) => [index, status, impactStatement]),
    [
      [1, 'not_affected', 'No hinge.'],
      [2, 'fixed', null],
    ],
  );
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['vulnerabilities[3]'],
  );
});

test('products of CycloneDX are components of the document, or of others by their links', () => {
  const state = 'exploitable';
  const refs = ['hinge', 'urn:cdx:0c0c/1#pkg:npm/latch@1.0.0', 'urn:cdx:0c0c/1#gate'].map((ref) => ({ ref }));
  const versions = [
    { version: '1.0.0' },
    { version: '2.0.0', status: 'unaffected' },
    { range: 'vers:npm/<1', status: 'affected' },
  ];
  assert.deepEqual(
    namesOf(
      cycloneDx(
        { id: 'CVE-2026-1000', analysis: { state }, affects: refs },
        { id: 'CVE-2026-1001', analysis: { state }, affects: [{ ref: 'hinge', versions }] },
      ),
    ),
    [
      ['pkg:npm/hinge', 'pkg:npm/latch@1.0.0', '(urn:cdx:0c0c/1#gate)'],
      ['pkg:npm/hinge@1.0.0', '(pkg:npm/hinge vers:npm/<1)'],
    ],
  );
});

test('a document that is no VEX is refused', () => {
  for (const document of [{}, [], { document: {} }, { document: { csaf_version: '1.2' } }, { statements: {} }])
    assert.throws(() => read(document), UnreadableDocument, JSON.stringify(document));
  assert.throws(() => readVexDocument(Buffer.from('{')), UnreadableDocument);
});

/** Runs a function and refuses more than ten seconds of it, where a few milliseconds suffice. */
const quickly = (run: () => void): void => {
  const startedMs = performance.now();
  run();
  assert.ok(performance.now() - startedMs < 10_000);
};

const repeated = (length: number, value: unknown): unknown[] => Array.from({ length }, () => value);

test('shared lists of products and components that multiply are refused before they are expanded', () => {
  const vulnerability = { name: 'CVE-2026-1000' };
  const many = repeated(3_000, 'pkg:npm/gate');
  const statement = { vulnerability, products: many, subcomponents: many, status: 'affected' };
  const { products: _, ...bare } = statement;
  const shared = { ...openVex(...repeated(3_000, { ...bare, subcomponents: [] })), products: many };
  const group = Array.from({ length: 3_000 }, (_each, n) => `p${n}`);
  const csaf = {
    document: { csaf_version: '2.0' },
    product_tree: { product_groups: [{ group_id: 'all', product_ids: group }] },
    vulnerabilities: [
      {
        cve: 'CVE-2026-1000',
        product_status: { known_affected: group },
        flags: repeated(3_000, { label: 'component_not_present', group_ids: ['all'] }),
      },
    ],
  };
  for (const document of [openVex(statement), shared, csaf])
    quickly(() => assert.throws(() => read(document), { name: 'UnreadableDocument', message: /more than 500000/ }));
});

test('a long product that many statements repeat is refused, since each is stored with its products', () => {
  const bom = {
    bomFormat: 'CycloneDX',
    components: [{ 'bom-ref': 'c', name: 'x'.repeat(1_000_000), purl: 'pkg:npm/gate' }],
    vulnerabilities: repeated(1_000, {
      id: 'CVE-2026-1000',
      analysis: { state: 'exploitable' },
      affects: [{ ref: 'c' }],
    }),
  };
  const hashes = Array.from({ length: 10_000 }, (_, n) => ({ alg: 'SHA-256', content: sha256(String(n)).slice(7) }));
  const long = { ...bom, components: [{ 'bom-ref': 'c', name: 'c', purl: 'pkg:npm/gate', hashes }] };
  assert.equal(read(bom).statements.length, 1_000);
  assert.throws(() => read(long), { name: 'UnreadableDocument', message: /characters in all/ });
});
