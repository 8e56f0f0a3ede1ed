// Export of a bundle with 20,000 small artifacts: processor time and memory of the process that makes the export, from
// the lease of its row to the last byte of its archive. Every artifact is read and hashed twice: before the manifest is
// signed, and while the archive is written.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { sql } from '@landfall/kernel/db/sql';
import { caller } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { artifactApp, operator } from './artifact-app.ts';

const ARTIFACTS = 20_000;
const MEGABYTE = 1_000_000;

const tell = (metric: string, value: number, unit: string, goal?: { readonly atMost: number }): void =>
  void process.stdout.write(
    `${JSON.stringify({ bench: 'evidence-export', metric, value: Number(value.toPrecision(4)), unit, ...(goal && { goal }) })}\n`,
  );

await using app = await artifactApp();

/** Artifact with its row, its object and its subject, as a put leaves them. */
const rows = Array.from({ length: ARTIFACTS }, (_, index) => {
  const content = JSON.stringify({ artifact: index, padding: 'x'.repeat(200 + (index % 1_600)) });
  const id = `0197c0de-0000-8000-8000-${String(index).padStart(12, '0')}`;
  return { id, key: `artifacts/artifacts/bench/${index % 100}/${id}.json`, content, digest: sha256(content) };
});
for (const { key, content } of rows) {
  const path = join(app.objectsDirectory, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
await app.deps.database.write(operator.tenant, (tx) =>
  tx.run(sql`/* evidence.artifact_index.fillBench */
    insert into evidence.artifact_index (tenant, artifact_id, artifact_type, storage_key, bom_ref, serial_number, sha256,
      size_bytes, content_type, created_by)
    select ${operator.tenant}, id, 'Other', key, 'pkg:oci/bench', id::text, digest, size, 'application/json', 'bench'
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ key }) => key)}::text[],
      ${rows.map(({ digest }) => digest)}::text[], ${rows.map(({ content }) => content.length)}::bigint[])
      as given (id, key, digest, size)`),
);
await app.deps.database.write(operator.tenant, (tx) =>
  tx.run(sql`/* evidence.artifact_subjects.fillBench */
    insert into evidence.artifact_subjects (tenant, artifact_id, digest_alg, digest, predicate_type, verdict)
    select tenant, artifact_id, 'sha256', ${sha256('shop').slice(7)}, '', 'unverified' from evidence.artifact_index`),
);
const bundle = await app.module.bundles.create(operator, {
  subject: { kind: 'release', id: '0197c0de-0000-7000-8000-0000000000a1' },
});
const { id: exportId } = await app.module.exports.request(operator, { bundleId: bundle.id });
const input = {
  connection: app.connection,
  dataDir: app.dataDir,
  rootKey: app.rootKey.toString('hex'),
  bundleId: bundle.id,
  exportId,
};
// As the product starts its server.
const execArgv = ['--max-semi-space-size=8'];
const child = fork(new URL('./export-bench-process.ts', import.meta.url), [JSON.stringify(input)], { execArgv });
const [answer] = await once(child, 'message');
const figures = Parse(Type.Object({ cpu: Type.Number(), rss: Type.Number(), bytes: Type.Number() }), answer);
tell('artifacts in the bundle', bundle.artifactCount, 'artifacts');
tell('processor time of the export', figures.cpu, 's CPU', { atMost: 3 });
tell('memory of the process that exports', figures.rss / MEGABYTE, 'MB', { atMost: 150 });
tell('archive', figures.bytes / MEGABYTE, 'MB');
const viewer = caller({ subject: 'vera', scopes: ['export.viewer'] });
const { missingCount } = await app.module.exports.get(viewer, { bundleId: bundle.id, exportId });
if (missingCount !== 0) throw new Error(`${missingCount} artifacts are missing`);
