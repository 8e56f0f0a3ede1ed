import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { bundleName, createBundle, ENTRY_NAMES } from './bundle.ts';
import { goldenManifest } from './golden-scan.fixture.ts';
import { readBundle } from './read-bundle.ts';
import { signedBundle, signer, zipOf } from './signed-bundle.fixture.ts';

const { replayed, bytes, entries } = await signedBundle();
const parsed = (name: (typeof ENTRY_NAMES)[number]) => JSON.parse(entries[name].toString());

// spec: 2.4/zip-entries, 2.4/zip-entry-contents, 2.4/zip-no-proof-root, 9/bundle-version, rulings/17
test('a bundle has the manifest, its envelope, the ledger and meta.json, each in canonical JSON', () => {
  for (const name of ENTRY_NAMES) assert.equal(entries[name].toString(), canonicalJson(parsed(name)));
  assert.deepEqual(parsed('manifest.json'), goldenManifest);
  const { rootHash } = replayed;
  const createdAtUtc = '2026-01-01T00:00:00Z';
  assert.deepEqual(parsed('score_proof.json'), {
    createdAtUtc,
    nodes: replayed.nodes.map((node) => JSON.parse(node)),
    rootHash,
  });
  assert.deepEqual(parsed('meta.json'), { createdAtUtc, rootHash, version: '1' });
});

test('the same replay gives the same bytes again', () => {
  const envelope = entries['manifest.dsse.json'].toString();
  assert.deepEqual(createBundle(replayed, envelope), bytes);
});

test('the bytes are the same in other processes and time zones', async () => {
  const script = `
    import { createBundle } from ${JSON.stringify(import.meta.resolve('./bundle.ts'))};
    import { goldenScan } from ${JSON.stringify(import.meta.resolve('./golden-scan.fixture.ts'))};
    import { replay } from ${JSON.stringify(import.meta.resolve('./replay.ts'))};
    const bytes = createBundle(replay(goldenScan), process.env.ENVELOPE);
    process.stdout.write(bytes.toString('base64'));`;
  const zones = ['Asia/Tokyo', 'America/New_York'];
  const found = await Promise.all(
    zones.map((TZ) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
        env: { ...process.env, TZ, ENVELOPE: entries['manifest.dsse.json'].toString() },
      }),
    ),
  );
  for (const { stdout } of found) assert.deepEqual(Buffer.from(stdout, 'base64'), bytes);
});

test('the bytes are those of a general ZIP library with the same settings', async () => {
  const options = { compress: false, mode: 0o100644, mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  assert.deepEqual(await zipOf(ENTRY_NAMES.map((name) => [name, entries[name], options] as const)), bytes);
});

test('a bundle is named after its scan, and after its root where names are content addressed', () => {
  const { scanId } = goldenManifest;
  assert.equal(bundleName(scanId, replayed.rootHash, true), `${scanId}_ced6bd95eea7215a.zip`);
  assert.equal(bundleName(scanId, replayed.rootHash, false), `${scanId}.zip`);
});

const archive = ENTRY_NAMES.map((name) => [name, entries[name], { compress: false }] as const);
const reasonOf = async (zip: Buffer): Promise<string> => {
  const error = await readBundle(zip).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error && 'reason' in error ? String(error.reason) : 'accepted';
};

test('a bundle that another program packed is read, in any order and compressed', async () => {
  const other = archive.toReversed().map(([name, content]) => [name, content, { compress: true }] as const);
  assert.deepEqual(await readBundle(await zipOf(other)), entries);
});

// spec: 2.4/zip-reader
test('an archive with other entries than the four is refused', async () => {
  const [first, second, third, fourth] = archive;
  assert.ok(first && second && third && fourth);
  const archives = {
    missing: [first, second, third],
    extra: [...archive, ['proof_root.dsse.json', Buffer.from('{}')] as const],
    foreign: [first, second, third, ['other.json', Buffer.from('{}')] as const],
    twice: [first, second, third, third],
    folder: [first, second, third, ['folder/meta.json', Buffer.from('{}')] as const],
    link: [
      first,
      second,
      third,
      ['meta.json', Buffer.from('/etc/passwd'), { mode: 0o120777, compress: false }] as const,
    ],
    device: [first, second, third, ['meta.json', Buffer.from(''), { mode: 0o020666, compress: false }] as const],
  };
  for (const [name, list] of Object.entries(archives))
    assert.equal(await reasonOf(await zipOf(list)), 'bundle-entries', name);
});

/** Archive in whose central directory this field of each entry is replaced. */
const patched = (zip: Buffer, offset: number, value: number): Buffer => {
  const copy = Buffer.from(zip);
  const signature = Buffer.from('PK\x01\x02');
  for (let at = copy.indexOf(signature); at >= 0; at = copy.indexOf(signature, at + 1)) {
    if (value > 0xffff) copy.writeUInt32LE(value, at + offset);
    else copy.writeUInt16LE(value, at + offset);
  }
  return copy;
};

test('an encrypted, oversized, over-compressed or damaged entry is refused', async () => {
  const compressed = await zipOf(archive.map(([name, content]) => [name, content, { compress: true }] as const));
  const zeros = await zipOf([...archive.slice(1), ['manifest.json', Buffer.alloc(1_000_000), { compress: true }]]);
  assert.equal(await reasonOf(patched(compressed, 8, 0x0801)), 'bundle-entries');
  assert.equal(await reasonOf(patched(compressed, 24, 64 * 1_048_576 + 1)), 'bundle-limit');
  assert.equal(await reasonOf(zeros), 'bundle-limit');
  assert.equal(await reasonOf(patched(bytes, 16, 0x12345678)), 'bundle-damaged');
  assert.equal(await reasonOf(bytes.subarray(0, -30)), 'bundle-damaged');
  assert.equal(await reasonOf(Buffer.alloc(0)), 'bundle-damaged');
});

test('entries of more than 128 MiB together are refused by their headers', async () => {
  const sizes = await zipOf(
    ENTRY_NAMES.map((name) => [name, Buffer.alloc(400_000, Buffer.from(signer.spki)), { compress: false }] as const),
  );
  // Each claims 40 MiB of its 400 kB, which is below the limit of one entry and of the ratio.
  const deflated = patched(patched(sizes, 24, 40 * 1_048_576), 10, 8);
  assert.equal(await reasonOf(deflated), 'bundle-limit');
});
