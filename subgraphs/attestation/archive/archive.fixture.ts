import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { needs } from '@landfall/kernel/testing/programs';
import { extract } from 'tar-stream';
import type { TestPlatform } from '../bundle/bundle.fixture.ts';
import { parseTrust } from '../bundle/trust.ts';
import { type Archive, type ArchivedStatement, createArchive } from './archive.ts';

const run = promisify(execFile);

/** Runs a program and returns its last output and exit code. */
export const completed = async (program: string, ...input: readonly string[]) => {
  try {
    const { stdout } = await run(program, [...input]);
    const lines = stdout.trimEnd().split('\n');
    return { code: 0, lines, last: lines.at(-1) ?? '', complaint: '' };
  } catch (error) {
    const { code, stderr } = Object(error);
    return { code, lines: [], last: '', complaint: String(stderr) };
  }
};

export const bytesOf = async ({ tar }: Archive): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Statement of a platform with its description for the archive. */
export const statementOf = async (platform: TestPlatform, environment = 'prod') => ({
  directory: 'deployment-1',
  bundle: await platform.bundle(),
  predicateType: 'https://landfall.example/predicates/deployment@v1',
  meaning: 'what landed',
  environment,
  signedAt: new Date('2026-01-02T03:04:05Z'),
});

export const packageOf = async (platform: TestPlatform, environment = 'prod', input?: readonly ArchivedStatement[]) => {
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
export const unpacked = async (created: Archive) => {
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

export const programs = await needs('openssl', 'sha256sum', 'python3');

/** Recomputes the manifest, as an attacker who changed a file would. */
export const remanifest = async (home: string): Promise<void> => {
  const lines = (await readFile(join(home, 'MANIFEST.sha256'), 'utf8')).trimEnd().split('\n');
  const again = lines.map(
    async (line) => `${sha256Hex(await readFile(join(home, line.slice(66))))}  ${line.slice(66)}\n`,
  );
  await writeFile(join(home, 'MANIFEST.sha256'), (await Promise.all(again)).join(''));
};
