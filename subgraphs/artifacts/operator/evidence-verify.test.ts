import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Terminal } from '@landfall/kernel/operator/command';
import { createArtifacts, createSeal, sealed, tarBytes, temporaryDirectory } from '../exports/export.fixture.ts';
import { evidenceVerify } from './evidence-verify.ts';

/** Terminal that collects what a command writes. */
const terminal = () => {
  const lines: string[] = [];
  const collecting: Terminal = {
    env: {},
    readInput: async () => '',
    print: (line) => void lines.push(line),
    warn: assert.fail,
  };
  return { lines, collecting };
};

const verify = async (...args: string[]) => {
  const { lines, collecting } = terminal();
  return { code: await evidenceVerify.run(args, collecting), lines };
};

test('an export is verified by its archive and a trust document: no database, no network', async () => {
  await using directory = await temporaryDirectory();
  const seal = await createSeal();
  const { artifacts, reader } = createArtifacts(2);
  const [kept, lost] = artifacts;
  assert.ok(kept && lost);
  const { artifactId, sha256, size } = lost;
  const missing = [{ artifactId, sha256, size, reason: 'disposed' as const }];
  const tar = await tarBytes(await sealed({ seal, artifacts: [kept], missing }), reader);
  const [archive, trust, other] = ['export.tar.gz', 'trust.json', 'other.json'].map((name) =>
    join(directory.path, name),
  );
  assert.ok(archive && trust && other);
  await writeFile(archive, gzipSync(tar));
  await writeFile(trust, seal.rotatedTrust(new Date('2027-01-01T00:00:00Z')));
  await writeFile(other, (await createSeal()).trust);

  const verified = await verify(archive, '--trust', trust);
  assert.deepEqual([verified.code, verified.lines.at(-1)], [0, 'Verified.']);
  assert.ok(verified.lines.includes('  signed at  2026-11-27T12:34:56.000Z, as the platform itself attests'));
  assert.ok(verified.lines.includes(`  MISSING    ${artifactId}: disposed, sha256:${sha256}`));
  assert.equal((await verify(archive)).code, 2, 'its own keys prove nothing about who made it');
  const refused = await verify(archive, '--trust', other);
  assert.deepEqual([refused.code, refused.lines.length], [1, 1]);
  assert.match(refused.lines[0] ?? '', /^Refused: the key [0-9a-f]{64} is not in the trust document\.$/);
});

test('a file that is not there, or no archive, is named', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'export.tar.gz');
  await assert.rejects(verify(path), /^CannotCheck: .*cannot be read \(ENOENT\)\.$/);
  await writeFile(path, 'no archive');
  const { code, lines } = await verify(path);
  assert.deepEqual([code, lines], [1, ['Refused: it is no whole archive: it was cut off or changed.']]);
});
