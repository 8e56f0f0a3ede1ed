import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKey, createPlatform } from '../bundle/bundle.fixture.ts';
import { bytesOf, completed, packageOf, programs, remanifest, statementOf, unpacked } from './archive.fixture.ts';

test('sh with openssl, and Python alone, accept a package as it was made', programs, async () => {
  for (const signer of [createKey('ecdsa-p256-sha256'), createKey('ed25519')]) {
    await using package_ = await unpacked(await packageOf(createPlatform({ signer })));
    const home = join(package_.root, 'custody-1');
    assert.match((await completed('sh', join(home, 'verify.sh'))).last, /^OK: /);
    assert.match((await completed('python3', join(home, 'verify.py'))).last, /^OK: /);
  }
});

// The full run changes a byte of every file, and each part of a statement.
test('a changed statement is refused by both, also where the manifest was made to fit', programs, async () => {
  await using package_ = await unpacked(await packageOf(createPlatform()));
  const home = join(package_.root, 'custody-1');
  const path = join(home, 'deployment-1', 'statement.json');
  await writeFile(path, (await readFile(path, 'latin1')).replace('prod', 'test'), 'latin1');
  for (const isFitting of [false, true]) {
    if (isFitting) await remanifest(home);
    assert.equal((await completed('sh', join(home, 'verify.sh'))).code, 1);
    assert.equal((await completed('python3', join(home, 'verify.py'))).code, 1);
  }
});

test('the keys of another platform are refused, whatever the archive itself says of trust', programs, async () => {
  await using package_ = await unpacked(await packageOf(createPlatform()));
  const other = join(package_.root, 'trust.json');
  await writeFile(other, createPlatform().trust);
  const script = join(package_.root, 'custody-1', 'verify.sh');
  assert.equal((await completed('sh', script)).code, 0);
  assert.notEqual((await completed('sh', script, other)).code, 0);
});

test('a trust document counts by what it says, however it is laid out', programs, async () => {
  const platform = createPlatform();
  await using package_ = await unpacked(await packageOf(platform));
  const other = join(package_.root, 'trust.json');
  for (const space of [2, '\t']) {
    await writeFile(other, `${JSON.stringify(JSON.parse(platform.trust), undefined, space)}\n`);
    assert.equal((await completed('sh', join(package_.root, 'custody-1', 'verify.sh'), other)).complaint, '');
  }
});

test('verify.sh says which check refused and why, and looks at the trust document first', programs, async () => {
  await using package_ = await unpacked(await packageOf(createPlatform()));
  const script = join(package_.root, 'custody-1', 'verify.sh');
  const other = join(package_.root, 'other.json');
  const refusal = async (...input: readonly string[]) => (await completed('sh', script, ...input)).complaint;
  await writeFile(other, createPlatform().trust);
  assert.match(await refusal(other), /^REFUSED: deployment-1, check 2: this key is not in trust.json\n$/m);
  await writeFile(other, '{}');
  assert.equal(await refusal(other), `REFUSED: ${other} is not a trust document\n`);
  assert.equal(await refusal('gone.json'), 'REFUSED: no file to read at gone.json\n');
  assert.match(await refusal('-x'), /^REFUSED: sh verify.sh /);
  assert.match((await completed('sh', script, '-h')).last, /^sh verify.sh \[TRUST.json\] /);
});

test('the last line says of what archive and how many statements; one without any is refused', programs, async () => {
  const platform = createPlatform();
  await using full = await unpacked(await packageOf(platform));
  assert.match(
    (await completed('sh', join(full.root, 'custody-1', 'verify.sh'))).last,
    /^OK: custody-1: 1 statement \(1 deployment@v1\): /,
  );
  await using empty = await unpacked(await packageOf(platform, 'prod', []));
  const { code, complaint } = await completed('sh', join(empty.root, 'custody-1', 'verify.sh'));
  assert.equal(code, 1);
  assert.match(complaint, /^REFUSED: custody-1 has no statement of the platform/);
});

test(
  'Python too wants a key of the trust document, a statement and a manifest, and refuses in plain words',
  programs,
  async () => {
    const platform = createPlatform();
    await using full = await unpacked(await packageOf(platform));
    const home = join(full.root, 'custody-1');
    const script = join(home, 'verify.py');
    assert.match(
      (await completed('python3', script)).last,
      /^OK: custody-1: 1 statements \(1 predicates\/deployment@v1\): .*signatures NOT checked$/,
    );
    const other = join(full.root, 'trust.json');
    await writeFile(other, createPlatform().trust);
    assert.match((await completed('python3', script, other)).complaint, /^REFUSED: .*not in the trust document\n$/);
    await writeFile(join(home, 'MANIFEST.sha256'), 'what is this');
    assert.match((await completed('python3', script)).complaint, /^REFUSED: .*\n$/);
    await using empty = await unpacked(await packageOf(platform, 'prod', []));
    assert.match(
      (await completed('python3', join(empty.root, 'custody-1', 'verify.py'))).complaint,
      /^REFUSED: .*no statement/,
    );
  },
);

test('the README explains why the digest seen may differ from the one let through', async () => {
  const readme = await readFile(new URL('./package/README.txt', import.meta.url), 'utf8');
  assert.match(readme, /gated is the index, and\s+observed is the manifest in it for the host's platform/);
});

test('a stored bundle that nobody can read is named, and the others are packed', programs, async () => {
  const platform = createPlatform();
  const complete = await statementOf(platform);
  const other = await createPlatform().bundle();
  const broken = ['{', other].map((bundle, index) => ({ ...complete, directory: `approval-${index}`, bundle }));
  await using package_ = await unpacked(await packageOf(platform, 'prod', [...broken, complete]));
  const home = join(package_.root, 'custody-1');
  const { lines } = await completed('sh', join(home, 'verify.sh'));
  assert.equal(lines.filter((line) => line.startsWith('LEFT OUT  approval-')).length, 2);
  assert.match(lines.at(-1) ?? '', /^OK: custody-1: 1 statement /);
  assert.match(await readFile(join(home, 'README.txt'), 'utf8'), /could not be read\n=+\n[\s\S]*\n {2}approval-1\n/);
});

test('the same statements are the same bytes', async () => {
  const platform = createPlatform();
  const bundle = await platform.bundle();
  const fixed = { ...platform, bundle: async () => bundle };
  const [one, other] = [await packageOf(fixed), await packageOf(fixed)];
  assert.ok((await bytesOf(one)).equals(await bytesOf(other)));
  assert.equal(one.fileName, 'custody-1.tar');
});

test(
  'verify.sh says a line for each statement and what refused one, and openssl says nothing else',
  programs,
  async () => {
    const environment = "Prod 'quoted' $(exit 3)";
    await using package_ = await unpacked(await packageOf(createPlatform(), environment));
    const home = join(package_.root, 'custody-1');
    const { lines } = await completed('sh', join(home, 'verify.sh'));
    assert.deepEqual(lines.slice(0, -1), [`ok  deployment-1  deployment@v1 ${environment}`]);
    const path = join(home, 'deployment-1', 'signature.der');
    const signature = await readFile(path);
    signature.writeUInt8(signature.readUInt8(20) ^ 1, 20);
    await writeFile(path, signature);
    await remanifest(home);
    assert.match(
      (await completed('sh', join(home, 'verify.sh'))).complaint,
      /Verification failure[\s\S]*\nREFUSED: deployment-1, check 2: signature.der is not a signature of this key over pae.bin\n$/i,
    );
  },
);

test('the README says which statement is where, and what was left out', async () => {
  await using package_ = await unpacked(await packageOf(createPlatform(), 'pro\nd'));
  const readme = await readFile(join(package_.root, 'custody-1', 'README.txt'), 'utf8');
  assert.match(readme, /^ {2}deployment-1 +2026-01-02T03:04:05Z +what landed +pro\uFFFDd$/m);
  assert.match(readme, /^ {2}web +sha256:a{64} +9 +https:\/\/x\.example\/big\uFFFD$/m);
});

test('the program in Python has no more than forty lines', async () => {
  const text = await readFile(new URL('./package/verify.py', import.meta.url), 'utf8');
  assert.ok(text.trimEnd().split('\n').length <= 40);
});
