import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { caller } from '@landfall/kernel/testing/callers';
import { readSbom } from '../sbom/read-sbom.ts';
import { type MatchedScan, matchSbom } from '../scans/matching.ts';

async function* bytesOf(document: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(document);
}

/** Reads a bill of materials and matches it, as the worker of scans does. */
export const matchDocument = async (
  { database }: Pick<Deps, 'database'>,
  tenant: TenantId,
  document: string,
): Promise<MatchedScan> => matchSbom(database, caller({ tenant, subject: 'bench' }), await readSbom(bytesOf(document)));
