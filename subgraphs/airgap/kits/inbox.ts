import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toTenantId } from '@landfall/kernel/core/ids';
import { digestHex, isDigest, parseDigest } from '@landfall/kernel/crypto/digest';
import { patterned } from '@landfall/kernel/operation/input';
import { readManifest, type SignedKit } from './manifest.ts';
import { createQuarantine, type Quarantine, readManifestFile } from './quarantine.ts';

/** Name of a folder in the inbox: one plain segment. */
export const folderName = patterned(
  '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
  'must be the name of a folder in the inbox of kits',
  { maxLength: 128 },
);

/** Folder of the inbox with a kit, or the reason why its manifest cannot be read. */
export interface InboxKit {
  readonly folder: string;
  readonly kit: SignedKit | undefined;
  readonly problem: string | null;
}

/** Kit in the quarantine of a tenant. */
interface QuarantinedKit {
  readonly tenant: TenantId;
  readonly kitDigest: string;
  readonly changedAt: Date;
}

const LISTED = 100;

/**
 * Directories of kits below the data directory, those of each tenant apart: the inbox into which operators copy kits, and
 * the quarantine.
 */
export const createKitDirectories = (dataDir: string) => {
  const base = join(dataDir, 'kits');

  const inboxFolder = (tenant: TenantId, folder: string): string => join(base, 'inbox', tenant, folder);

  const read = async (tenant: TenantId, folder: string): Promise<SignedKit> =>
    readManifest(await readManifestFile(inboxFolder(tenant, folder)));

  return {
    inboxFolder,
    /** Quarantine of a kit, for one lease of its import. */
    quarantine: (tenant: TenantId, kitDigest: string, lease = '0'): Quarantine =>
      createQuarantine(join(base, 'quarantine', tenant, digestHex(parseDigest(kitDigest))), lease),

    /** Kits in the quarantines of all tenants, with the time of their latest change. */
    async listQuarantined(): Promise<readonly QuarantinedKit[]> {
      const root = join(base, 'quarantine');
      await mkdir(root, { recursive: true, mode: 0o700 });
      const found: QuarantinedKit[] = [];
      const tenants = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
      for (const { name: tenant } of tenants)
        for (const hex of await readdir(join(root, tenant))) {
          const kitDigest = `sha256:${hex}`;
          if (!isDigest(kitDigest)) continue;
          const [own, parts] = [join(root, tenant, hex), join(root, tenant, hex, 'parts')];
          // A worker may take a folder away meanwhile.
          const times = await Promise.all([own, parts].map((path) => stat(path).catch(() => undefined)));
          const changedAt = new Date(Math.max(0, ...times.map((each) => each?.mtimeMs ?? 0)));
          found.push({ tenant: toTenantId(tenant), kitDigest, changedAt });
        }
      return found;
    },

    /** Reads the manifest of a kit in the inbox, unverified. @throws Fault RES_NOT_FOUND, VAL_*, kit_archive_unsafe */
    read,

    /** Kits in the inbox of a tenant, by the names of their folders. */
    async list(tenant: TenantId): Promise<readonly InboxKit[]> {
      const inbox = join(base, 'inbox', tenant);
      await mkdir(inbox, { recursive: true, mode: 0o700 });
      const entries = await readdir(inbox, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      const kits = folders
        .toSorted()
        .slice(0, LISTED)
        .map(async (folder): Promise<InboxKit> => {
          try {
            return { folder, kit: await read(tenant, folder), problem: null };
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
            return { folder, kit: undefined, problem: error.message };
          }
        });
      return Promise.all(kits);
    },
  };
};

export type KitDirectories = ReturnType<typeof createKitDirectories>;
