import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { needs } from '@landfall/kernel/testing/programs';
import { extract } from 'tar-stream';
import { createKey, createPlatform, type TestPlatform } from '../bundle/bundle.fixture.ts';
import { parseTrust } from '../bundle/trust.ts';
import { type Archive, type ArchivedStatement, createArchive } from './archive.ts';

const run = promisify(execFile);

/** Runs a program and returns its last output and exit code. */
const completed = async (program: string, ...input: readonly string[]) => {
  try {
    const { stdout } = await run(program, [...input]);
    const lines = stdout.trimEnd().split('\n');
    return { code: 0, lines, last: lines.at(-1) ?? '', complaint: '' };
  } catch (error) {
    const { code, stderr } = Object(error);
    return { code, lines: [], last: '', complaint: String(stderr) };
  }
};

const bytesOf = async ({ tar }: Archive): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Statement of a platform with its description for the archive. */
const statementOf = async (platform: TestPlatform, environment = 'prod') => ({
  directory: 'deployment-1',
  bundle: await platform.bundle(),
  predicateType: 'https://landfall.example/predicates/deployment@v1',
  meaning: 'what landed',
  environment,
  signedAt: new Date('2026-01-02T03:04:05Z'),
});

const packageOf = async (platform: TestPlatform, environment = 'prod', input?: readonly ArchivedStatement[]) => {
  const trust = parseTrust(platform.trust);
  return createArchive({
    name: 'custody-1',
    statements: input ?? [await statementOf(platform, environment)],
    incoming: [{ directory: 'incoming-web-01', files: [{ path: 'bundle.json', bytes: Buffer.from('{}') }] }],
    left: [
      { component: 'web', subject: `sha256:${'a'.repeat(64)}`, predicateType: 'https://x.example/big\n', size: 9 },
    ],
    trust,
    documents: { trust: platform.trust, trustedRoot: JSON.stringify(JSON.parse(platform.trust).trustedRoot) },
  });
};

/** Unpacks an archive into a temporary directory. */
const unpacked = async (created: Archive) => {
  const root = await mkdtemp(join(tmpdir(), 'landfall-package-'));
  const archive = extract();
  archive.end(await bytesOf(created));
  for await (const entry of archive) {
    const path = join(root, entry.header.name);
    await mkdir(dirname(path), { recursive: true });
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    await writeFile(path, Buffer.concat(chunks));
    await chmod(path, entry.header.mode ?? 0o644);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
};

const programs = await needs('openssl', 'sha256sum', 'python3');

test('sh with openssl, and Python alone, accept a package as it was made', programs, async () => {
  for (const signer of [createKey('ecdsa-p256-sha256'), createKey('ed25519')]) {
    await using package_ = await unpacked(await packageOf(createPlatform({ signer })));
    const home = join(package_.root, 'custody-1');
    assert.match((await completed('sh', join(home, 'verify.sh'))).last, /^OK: /);
    assert.match((await completed('python3', join(home, 'verify.py'))).last, /^OK: /);
  }
});

test('a changed byte in any file is refused by both', programs, async () => {
  await using package_ = await unpacked(await packageOf(createPlatform()));
  const home = join(package_.root, 'custody-1');
  const files = (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/^(verify\.(sh|py)|MANIFEST\.sha256)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length > 15);
  for (const file of files) {
    const bytes = await readFile(file);
    const changed = Buffer.from(bytes);
    const at = Math.floor(bytes.length / 2);
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(file, changed);
    assert.notEqual((await completed('sh', join(home, 'verify.sh'))).code, 0, file);
    assert.notEqual((await completed('python3', join(home, 'verify.py'))).code, 0, file);
    await writeFile(file, bytes);
  }
});

/** Recomputes the manifest, as an attacker who changed a file would. */
const remanifest = async (home: string): Promise<void> => {
  const lines = (await readFile(join(home, 'MANIFEST.sha256'), 'utf8')).trimEnd().split('\n');
  const again = lines.map(
    async (line) => `${sha256Hex(await readFile(join(home, line.slice(66))))}  ${line.slice(66)}\n`,
  );
  await writeFile(join(home, 'MANIFEST.sha256'), (await Promise.all(again)).join(''));
};

const edits: readonly { file: string; change: (text: string) => string }[] = [
  { file: 'statement.json', change: (text) => text.replace('prod', 'test') },
  { file: 'pae.bin', change: (text) => text.replace('prod', 'test') },
  { file: 'entry.json', change: (text) => text.replace('0.0.2', '0.0.3') },
  { file: 'envelope.json', change: (text) => text.replace('keyid":"', 'keyid":"0') },
  { file: 'checkpoint.note', change: (text) => text.replace('\n\n', '\n \n') },
  { file: 'signature.der', change: (text) => `${text}0` },
  { file: 'trusted_root.json', change: (text) => text.replace('2026', '2025').replace('https', 'httpx') },
  { file: 'checkpoint.txt', change: (text) => text.replace('\n8\n', '\n9\n') },
  { file: 'bundle.json', change: (text) => text.replace('"treeSize":"8"', '"treeSize":"9"') },
  {
    file: 'bundle.json',
    change: (text) => text.replace('"logIndex":"7","rootHash"', '"logIndex":"6","rootHash"'),
  },
];

test('a change is found by what it breaks, though the manifest was made to fit', programs, async () => {
  for (const { file, change } of edits) {
    await using package_ = await unpacked(await packageOf(createPlatform()));
    const home = join(package_.root, 'custody-1');
    const path = join(home, file === 'trusted_root.json' ? '' : 'deployment-1', file);
    await writeFile(path, change(await readFile(path, 'latin1')), 'latin1');
    await remanifest(home);
    assert.equal((await completed('sh', join(home, 'verify.sh'))).code, 1, `${file}: sh`);
    assert.equal((await completed('python3', join(home, 'verify.py'))).code, 1, `${file}: python3`);
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
