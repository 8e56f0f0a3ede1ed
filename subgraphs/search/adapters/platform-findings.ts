import type { TenantId } from '@landfall/kernel/core/ids';
import type { Chunk } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import { documentKey, PLATFORM } from '../platform/document-format.ts';

/** The document that the platform makes of the same finding out of its events (decision 026). */
const keyOf = ({ domain, ref }: Chunk): string | undefined =>
  ref?.type === 'Finding' ? documentKey(domain, { kind: 'Finding', id: ref.id }) : undefined;

/** Drops findings that the projection of events has already indexed, so that a card shows each once. */
export const withoutPlatformFindings = async (
  corpus: Pick<Corpus, 'knownKeys'>,
  tenant: TenantId,
  chunks: readonly Chunk[],
): Promise<Chunk[]> => {
  const keys = chunks.flatMap((chunk) => keyOf(chunk) ?? []);
  if (keys.length === 0) return [...chunks];
  const projected = new Set(await corpus.knownKeys(tenant, PLATFORM, keys));
  return chunks.filter((chunk) => !projected.has(keyOf(chunk) ?? ''));
};
