import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { readPlainFile } from '../kits/quarantine.ts';
import { MAX_BUNDLE_BYTES } from './bundle.ts';

/** Bytes of a file with a bundle: its payload in base64, and some signatures. */
const MAX_FILE_BYTES = MAX_BUNDLE_BYTES * 1.5;

/** Reads the file of a bundle, which a person carried here. @throws Fault RES_NOT_FOUND, kit_archive_unsafe, VAL_TOO_LONG */
export const readBundleFile = async (directory: string, name: string): Promise<string> => {
  const text = await readPlainFile(directory, name, MAX_FILE_BYTES);
  if (text === undefined)
    throw new Fault('RES_NOT_FOUND', `There is no file ${name} among the bundles.`, { file: name });
  return text;
};

/** Writes the file of a bundle, and returns its name in the directory. */
export const writeBundleFile = async (
  directory: string,
  { siteId, sequence, text }: { readonly siteId: string; readonly sequence: number; readonly text: string },
): Promise<string> => {
  const name = `${siteId}-${sequence}.json`;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, name), text, { mode: 0o600 });
  return name;
};

/** Directories of bundles below the data directory, those of each tenant apart. */
export const bundleDirectories = (dataDir: string) => ({
  inbox: (tenant: TenantId): string => join(dataDir, 'sync', 'inbox', tenant),
  outbox: (tenant: TenantId): string => join(dataDir, 'sync', 'outbox', tenant),
});

export type BundleDirectories = ReturnType<typeof bundleDirectories>;
