import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunkIdOf } from '../corpus/chunk.ts';
import { DOMAINS, ENTITY_TYPES } from '../shared/domains.ts';
import { importText } from '../testing/import-text.ts';
import { readJson } from './json-records.ts';
import { FORMATS, Unreadable } from './reader.ts';

const MEMBERS = [
  'id',
  'aliases',
  'affected',
  'package',
  'ranges',
  'events',
  'severity',
  'document',
  'tracking',
  'csaf_version',
  'vulnerabilities',
  'product_tree',
  'branches',
  'statements',
  '@context',
  '@id',
  'vulnerability',
  'products',
  'status',
  'bomFormat',
  'components',
  'metadata',
  'name',
  'purl',
  'spdxVersion',
  'packages',
  'externalRefs',
  'apiVersion',
  'kind',
  'spec',
  'rules',
  'targets',
  'cveID',
  'catalogVersion',
  'database_specific',
  'modified',
  'references',
  'annotations',
  'product_status',
  'scores',
  'upstream',
  'analysis',
  'state',
  'constructor',
];
const WORDS = [
  'CycloneDX',
  'SPDX-2.3',
  'https://openvex.dev/ns',
  'kyverno.io/v1',
  'ClusterPolicy',
  'ConstraintTemplate',
  'templates.gatekeeper.sh/v1',
  'CVE-2026-1234',
  'not_affected',
  'pkg:npm/a@1',
  'pkg:constructor/a@1',
  'constructor',
  '__proto__',
  '2.0',
  'high',
  '\0',
  '\ud800',
  '2026-13-45',
  '0',
];

/** Values that look like what importers look for, in places where they do not belong. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, ...WORDS),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...MEMBERS), tie('value'), { maxKeys: 8 }),
  ),
}));

const format = fc.constantFrom(undefined, ...FORMATS);

/** Property: any file gives writable chunks and printable rejections. */
const assertSound = async (
  path: string,
  content: string | Uint8Array,
  format: (typeof FORMATS)[number] | undefined,
) => {
  const { chunks, refusals } = await importText(path, content, { format: format, size: 97 });
  for (const chunk of chunks) {
    assert.ok(DOMAINS.includes(chunk.domain) && ENTITY_TYPES.includes(chunk.entityType));
    assert.ok(
      [chunk.documentKey, chunk.entityKey, chunk.source].every((name) => name !== ''),
      chunkIdOf(chunk),
    );
    assert.ok([...chunk.identifiers, ...chunk.packages].every((name) => typeof name === 'string'));
  }
  for (const { line, reason } of refusals) assert.ok(reason !== '' && (line === undefined || line >= 1), reason);
};

test('no importer throws, whatever a JSON file holds', () =>
  fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 3 }), format, async (values, given) => {
      await assertSound('x.json', JSON.stringify(values), given);
      for (const one of values) await assertSound('x.json', JSON.stringify(one) ?? '', given);
    }),
    { numRuns: 400 },
  ));

test('no importer throws, whatever bytes come under whatever name', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('x.json', 'x.ndjson', 'x.yaml', 'x.csv', 'x.rego', 'x.spdx', 'x'),
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: fc.constantFrom(...'{}[]",:\n -#&*!|>%@`\\a1\t') }),
      ),
      fc.constantFrom(
        '',
        '[',
        '{"a":',
        'SPDXVersion: SPDX-2.3\n',
        'cveID,x\n',
        'package a\n',
        'kind: Policy\n',
        '{"id":"1"}\n{',
      ),
      format,
      (path, content, begin, given) =>
        assertSound(path, Buffer.concat([Buffer.from(begin), Buffer.from(content)]), given),
    ),
    { numRuns: 600 },
  ));

const recordsOf = async (text: string, size: number): Promise<unknown[]> => {
  const texts = async function* () {
    for (let index = 0; index < text.length; index += size) yield text.slice(index, index + size);
  };
  const records: unknown[] = [];
  for await (const piece of readJson(texts(), text)) {
    assert.ok(!(piece instanceof Unreadable), String(piece));
    records.push(piece.value);
  }
  return records;
};

test('records come out as they went in, as a list, as lines and with indentation, however the text is cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      async (values, size) => {
        const expected: unknown = JSON.parse(JSON.stringify(values));
        assert.deepEqual(await recordsOf(JSON.stringify(values), size), expected);
        assert.deepEqual(await recordsOf(JSON.stringify(values, null, 2), size), expected);
        assert.deepEqual(await recordsOf(values.map((one) => JSON.stringify(one)).join('\n'), size), expected);
      },
    ),
  ));
