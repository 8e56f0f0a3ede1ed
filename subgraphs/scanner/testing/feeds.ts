import type { Deps } from '@landfall/kernel/module';
import { readOsvRecord } from '../advisories/osv-reader.ts';
import { createAdvisoryImport } from '../feeds/advisory-import.ts';

/** Imports OSV records into the installation's feeds. */
export const importRecords = async (deps: Pick<Deps, 'database'>, records: readonly object[]): Promise<void> => {
  const advisories = createAdvisoryImport(deps);
  for (const record of records) await advisories.add(readOsvRecord(record).record);
  await advisories.end();
};
