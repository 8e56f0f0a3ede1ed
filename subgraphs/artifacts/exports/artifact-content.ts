import { createHash } from 'node:crypto';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { ArtifactChanged, type ArtifactReader, type FrozenArtifact } from './evidence-artifact.ts';

type Frozen = Pick<FrozenArtifact, 'artifactId' | 'sha256' | 'size' | 'storageKey'>;

/** Artifacts up to this size are read whole, and checked before their first byte is passed on. */
const MAX_WHOLE_BYTES = 262_144;

/** Reads at once: small ones that are asked for together cost a fraction of the processor time. */
const WIDTH = 64;

/**
 * Passes on the bytes of a large artifact and hashes them. Throws ArtifactChanged at the first byte too many, or after
 * the last one if the hash is another.
 */
async function* streamed(
  reader: ArtifactReader,
  { artifactId, storageKey, sha256, size }: Frozen,
): AsyncGenerator<Uint8Array> {
  const content = await reader.open(storageKey, size);
  const hasher = createHash('sha256');
  let rest = size;
  for await (const chunk of content ?? []) {
    rest -= chunk.length;
    if (rest < 0) break;
    hasher.update(chunk);
    yield chunk;
  }
  if (!content || rest !== 0 || hasher.digest('hex') !== sha256) throw new ArtifactChanged(artifactId);
}

const readWhole = async (
  reader: ArtifactReader,
  { artifactId, storageKey, sha256, size }: Frozen,
): Promise<Uint8Array> => {
  const content = await reader.open(storageKey, size);
  const chunks: Uint8Array[] = [];
  let rest = size;
  for await (const chunk of content ?? []) {
    rest -= chunk.length;
    if (rest < 0) break;
    chunks.push(chunk);
  }
  const [only = new Uint8Array(0)] = chunks;
  const bytes = chunks.length > 1 ? Buffer.concat(chunks) : only;
  if (!content || rest !== 0 || sha256Hex(bytes) !== sha256) throw new ArtifactChanged(artifactId);
  return bytes;
};

/** Bytes of an artifact, or a stream of them that opens it when it is read. */
type CheckedContent = Uint8Array | AsyncIterable<Uint8Array>;

/** Reads an artifact whose bytes must be those that were frozen. Throws ArtifactChanged, a stream while it is read. */
export const readChecked = async (reader: ArtifactReader, artifact: Frozen): Promise<CheckedContent> =>
  artifact.size <= MAX_WHOLE_BYTES ? readWhole(reader, artifact) : streamed(reader, artifact);

/** Results of `work` in the order of the items. Up to 64 are under way, also when the reader stops. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  for await (const item of items) {
    const next = work(item);
    // Awaited in its turn, which may not come.
    next.catch(() => undefined);
    pending.push(next);
    const first = pending.length < WIDTH ? undefined : pending.shift();
    if (first) yield await first;
  }
  for (const next of pending) yield await next;
}
