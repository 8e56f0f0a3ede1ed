import type { TenantId } from '@landfall/kernel/core/ids';
import DataLoader from 'dataloader';
import { chunkIdOf, type StoredChunk } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';

export interface PieceView {
  readonly chunkId: string;
  readonly source: string;
  readonly title: string;
  readonly text: string;
  readonly identifiers: readonly string[];
  readonly packages: readonly string[];
  readonly fixed: readonly string[];
  readonly status: string | null;
  readonly uri: string | null;
}

/** Loader of chunks by index number, batched per request; undefined for deleted chunks. */
export type Pieces = DataLoader<number, PieceView | undefined>;

const MAX_LENGTH = 700;
const MAX = 20;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, MAX) : [];

/** Avoids a lone surrogate at the end. */
const excerptOf = (body: string): string => {
  if (body.length <= MAX_LENGTH) return body;
  const end = /[\uD800-\uDBFF]/.test(body.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
  return `${body.slice(0, end)}…`;
};

/** Links that a browser may follow. */
const linkOf = (uri: string | undefined): string | null =>
  uri !== undefined && /^(?:https?:\/|\/(?!\/))/i.test(uri) ? uri : null;

const viewOf = (chunk: StoredChunk): PieceView => {
  const { attributes = {} } = chunk;
  return {
    chunkId: chunkIdOf(chunk),
    source: chunk.source,
    title: chunk.title,
    text: excerptOf(chunk.body),
    identifiers: chunk.identifiers.slice(0, MAX),
    packages: chunk.packages.slice(0, MAX),
    fixed: textsOf(attributes.fixed),
    status: typeof attributes.status === 'string' ? attributes.status : null,
    uri: linkOf(chunk.uri),
  };
};

/**
 * Creates the loader of chunks of one request.
 * @param tenant owner of the chunks, beside shared ones; nothing is loaded without it
 */
export const createPieces = (corpus: Pick<Corpus, 'load'>, tenant: TenantId | undefined): Pieces =>
  new DataLoader(async (numbers) => {
    if (tenant === undefined) return numbers.map(() => undefined);
    const chunks = await corpus.load(tenant, numbers);
    return numbers.map((number) => {
      const chunk = chunks.get(number);
      return chunk && viewOf(chunk);
    });
  });
