import { isJsonObject, type JsonObject, parseJson } from '@landfall/kernel/core/json';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Document } from '@landfall/kernel/oci/registry-transfer';

const listIn = (value: JsonObject, field: string): readonly unknown[] => {
  const list = value[field];
  return Array.isArray(list) ? list : [];
};

/**
 * Adds what a kit attaches under a tag to what the site has there: referrers to its index, signatures to the layers of its
 * manifest. Returns undefined where nothing is missing, or where the site has something of another kind, which stays.
 */
export const mergeAttached = (site: Buffer, { bytes, mediaType }: Document): Document | undefined => {
  const [own, carried] = [parseJson(site), parseJson(bytes)];
  if (!isJsonObject(own) || !isJsonObject(carried)) return undefined;
  const field = 'layers' in carried ? 'layers' : 'manifests';
  if (!(field in own)) return undefined;
  const known = new Set(listIn(own, field).map(canonicalJson));
  const added = listIn(carried, field).filter((each) => !known.has(canonicalJson(each)));
  if (added.length === 0) return undefined;
  const merged = Buffer.from(JSON.stringify({ ...own, [field]: [...listIn(own, field), ...added] }));
  return { digest: sha256(merged), mediaType, bytes: merged };
};
