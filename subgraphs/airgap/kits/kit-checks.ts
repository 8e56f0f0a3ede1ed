import { createPublicKey } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Query } from '@landfall/kernel/db/query';
import { readRoots } from '../roots/installed-root.ts';
import { countSigners, type PublicKey } from '../roots/signed-document.ts';
import type { KitChecks } from '../seal/verify.ts';
import { revocationOf } from './installed-kit.ts';
import * as store from './kits.store.ts';
import { readManifest, type SignedKit } from './manifest.ts';
import { readReceipt } from './receipt.ts';

/** Manifest of a stored kit, or the reason why it cannot be read. */
const manifestOf = ({ envelope }: store.Kit): SignedKit | string => {
  try {
    return readManifest(envelope);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
};

/** Problem of the columns that lists show, which repeat the manifest. */
const rowProblem = (row: store.Kit, { value, digest }: SignedKit): string | undefined => {
  if (digest !== row.digest) return 'The manifest differs from the one that was installed.';
  const repeated = ['kitId', 'kind', 'channel', 'sequence'] as const;
  const wrong = repeated.find((name) => row[name] !== value[name]);
  return wrong && `Its ${wrong} is ${row[wrong]}; the manifest has ${value[wrong]}.`;
};

/** Problem of a receipt, which signs what the import changed. */
const receiptProblem = ({ receipt, digest, changes }: store.Kit, keys: readonly PublicKey[]): string | undefined => {
  if (receipt === null) return undefined;
  try {
    const signed = readReceipt(receipt);
    if (countSigners(signed, keys) === 0) return 'This platform did not sign the receipt.';
    const isSame = signed.value.kitDigest === digest && canonicalJson(signed.value.changes) === canonicalJson(changes);
    return isSame ? undefined : 'The receipt is of another kit, or of other changes.';
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
};

/** Problem of the list of what the site has of a kit, from which want-lists are made. */
const contentProblem = (
  known: readonly { readonly hash: string; readonly kitDigest: string }[],
  { value, digest }: SignedKit,
) => {
  const declared = new Set<string>(value.components.map(({ hash }) => hash));
  const stored = new Set(known.map(({ hash }) => hash));
  const foreign = known.find(({ hash, kitDigest }) => kitDigest === digest && !declared.has(hash));
  const missing = [...declared].find((hash) => !stored.has(hash));
  if (foreign) return `The component ${foreign.hash} is not of this kit.`;
  return missing && `The component ${missing} is not kept any more.`;
};

/**
 * Creates the check of the kits in force: each is hashed and its signatures are verified again, under the root that it
 * names and without the keys that a later one revokes; so are its receipt and the list of its components.
 */
export const createKitChecks = ({ signingKeys }: { readonly signingKeys: Pick<SigningKeys, 'list'> }): KitChecks => {
  const platformKeys = async (): Promise<readonly PublicKey[]> =>
    (await signingKeys.list('manifest')).map(({ keyId, spki }) => ({
      keyId,
      publicKey: createPublicKey({ key: spki, format: 'der', type: 'spki' }),
    }));

  const checkAll = async (keys: readonly PublicKey[], query: Query, tenant: TenantId) => {
    const rows = await store.listActive(query, tenant);
    const roots = await readRoots(query);
    const check = async (row: store.Kit) => {
      const kit = manifestOf(row);
      const actual: Digest | null = typeof kit === 'string' ? null : kit.digest;
      const problem =
        typeof kit === 'string'
          ? kit
          : (rowProblem(row, kit) ??
            revocationOf(kit, roots) ??
            receiptProblem(row, keys) ??
            contentProblem(await store.listContentsOf(query, tenant, kit), kit));
      return {
        name: `kit ${row.channel}`,
        valid: problem === undefined,
        expected: row.digest,
        actual,
        message: problem ?? 'The kit is the one that was installed.',
      };
    };
    const checks = [];
    for (const row of rows) checks.push(await check(row));
    return checks;
  };

  return async () => {
    const keys = await platformKeys();
    return (query, tenant) => checkAll(keys, query, tenant);
  };
};
