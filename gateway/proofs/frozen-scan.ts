import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { people } from '@landfall/kernel/testing/callers';
import type { Scanner } from '@landfall/scanner';
import { insertFrozenScan } from '@landfall/scanner/testing/parts';

const IMAGE = 'scanned image';

/** Creates a frozen scan with a proof bundle. @returns ids of both, and the values that requests and answers have */
export const addScan = async (
  { manifests, replays }: Scanner,
  deps: Deps,
): Promise<Readonly<Record<string, string>>> => {
  const who = people['scan-operator'];
  const scanId = await insertFrozenScan({ manifests, deps, who }, { image: IMAGE });
  const { rootHash, manifestHash, bundlePath } = await replays.replay(who, { scanId });
  return {
    scanId,
    scanRootHash: rootHash,
    scanManifestHash: manifestHash,
    scanBundle: bundlePath,
    scanImage: sha256(IMAGE),
  };
};
