import type { KitRoot } from '../roots/root.ts';
import { keysOf } from '../roots/root.ts';
import { countSigners } from '../roots/signed-document.ts';
import type { Kit } from './kits.store.ts';
import { type KitManifest, readManifest, type SignedKit } from './manifest.ts';

/** Installed kit with its manifest. */
export interface InstalledKit extends Omit<Kit, 'envelope'> {
  readonly manifest: KitManifest;
  /** Why the root in force takes it back, though it is installed; null while it counts. */
  readonly revocation: string | null;
}

/** Roots of an installation by version. */
type Roots = ReadonlyMap<number, KitRoot>;

/**
 * Why the newest root takes a kit back, or why the one that it names does not carry it; undefined while it counts. A kit
 * stays in force when its own root has expired or was followed by another one.
 */
export const revocationOf = (kit: SignedKit, roots: Roots): string | undefined => {
  const current = roots.get(Math.max(...roots.keys()));
  const own = roots.get(kit.value.rootVersion);
  if (!current || !own) return `Root ${kit.value.rootVersion}, which the kit names, is not installed.`;
  if (current.revokedKits.includes(kit.digest)) return `Root ${current.version} revokes the kit.`;
  const keys = keysOf({ ...own, revokedKeys: [...own.revokedKeys, ...current.revokedKeys] });
  const signatures = countSigners(kit, keys);
  if (signatures >= own.threshold) return undefined;
  return `The kit lacks signatures of keys that root ${current.version} does not revoke: it has ${signatures} of ${own.threshold}.`;
};

export const installedKit = ({ envelope, ...row }: Kit, roots: Roots): InstalledKit => {
  const kit = readManifest(envelope);
  return { ...row, manifest: kit.value, revocation: revocationOf(kit, roots) ?? null };
};
