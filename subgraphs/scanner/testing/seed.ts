import { toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { sql } from '@landfall/kernel/db/sql';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import type { Scanner } from '../index.ts';

/** Seeds a completed scan of an image. */
const create = async (_scanner: Scanner, { mark, deps, owner }: SeedContext) => {
  const { tenant, subject } = owner;
  const id = toId(deps.ids.uuid(), 'Scan');
  await deps.database.write(tenant, (tx) =>
    tx.run(sql`/* scanner.scans.seed */
      insert into scanner.scans (tenant, id, identity, status, image_digest, subject_name, sbom_digest, sbom_format,
        components, evaluated, no_purl, unknown_ecosystem, bad_version, finding_count, requested_by, completed_at)
      values (${tenant}, ${id}, ${mark}, 'completed', ${sha256(mark)}, ${mark}, ${sha256(mark)}, 'cyclonedx',
        0, 0, 0, 0, 0, 0, ${subject}, kernel.now())`),
  );
  return { ids: { Scan: id } };
};

export const scannerSeed: Seed<Scanner> = { order: 35, create };
