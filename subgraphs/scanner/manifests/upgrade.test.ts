import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startUpgrade } from '@landfall/kernel/testing/upgrade';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['kernel', 'scanner'].map((module) => join(ROOT, module, 'migrations'));

const HASH = `sha256:${'a'.repeat(64)}`;
const SCAN = '01900000-0000-7000-8000-000000000001';

/** A completed scan with its manifest, a replay and a bundle, as they were stored before there were freezes. */
const STORED = [
  `insert into scanner.scans (tenant, id, identity, status, sbom_digest, sbom_format, components, evaluated, no_purl,
    unknown_ecosystem, bad_version, finding_count, score_ppm, root_hash, requested_by, completed_at)
  values ('acme', '${SCAN}', 'one', 'completed', '${HASH}', 'cyclonedx', 3, 2, 1, 0, 0, 1, 420000, '${HASH}', 'ci', now())`,
  `insert into scanner.manifests (tenant, scan_id, manifest, envelope, manifest_hash, manifest_digest, policy,
    vex_set_hash, created_at)
  values ('acme', '${SCAN}', '{}', '{}', '${HASH}', '${HASH}', '{}', '${HASH}', now())`,
  `insert into scanner.score_replays (tenant, scan_id, root_hash, canonical_input_hash, manifest_digest, factors,
    freeze_timestamp, replayed_at, bundle_hash, bundle_path)
  values ('acme', '${SCAN}', '${HASH}', '${HASH}', '${HASH}', '[]', now(), now(), '${HASH}', 'one.zip')`,
  `insert into scanner.proof_bundles (tenant, scan_id, root_hash, bundle_type, bundle_hash, path, freeze_timestamp,
    created_at)
  values ('acme', '${SCAN}', '${HASH}', 'score', '${HASH}', 'one.zip', now(), now())`,
];

test('what a scan froze before there were several freezes is its first one, and its replay keeps it', async () => {
  await using upgrade = await startUpgrade(FOLDERS);
  await upgrade.migrateTo({ scanner: 5 });
  await upgrade.force(...STORED);
  await upgrade.migrateTo();
  assert.deepEqual(
    await upgrade.force(`select f.freeze_number, f.score_ppm, f.root_hash, f.finding_count, f.evaluated, f.causes,
        m.freeze_number as manifest, r.freeze_number as replay, b.freeze_number as bundle, s.freeze_number as newest
      from scanner.freezes f join scanner.manifests m using (tenant, scan_id) join scanner.score_replays r
      using (tenant, scan_id) join scanner.proof_bundles b using (tenant, scan_id) join scanner.scans s on s.id = f.scan_id`),
    [
      {
        freeze_number: 1,
        score_ppm: 420_000,
        root_hash: HASH,
        finding_count: 1,
        evaluated: 2,
        causes: [],
        manifest: 1,
        replay: 1,
        bundle: 1,
        newest: 1,
      },
    ],
  );
  await assert.rejects(upgrade.force('delete from scanner.manifests'), /foreign key/);
  await upgrade.force('delete from scanner.scans');
});
