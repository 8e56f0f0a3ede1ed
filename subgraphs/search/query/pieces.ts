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

const LONGEST = 700;
const MOST = 20;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, MOST) : [];

/** Avoids a lone surrogate at the end. */
const beginningOf = (body: string): string => {
  if (body.length <= LONGEST) return body;
  const end = /[\uD800-\uDBFF]/.test(body.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
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
    text: beginningOf(chunk.body),
    identifiers: chunk.identifiers.slice(0, MOST),
    packages: chunk.packages.slice(0, MOST),
    fixed: textsOf(attributes.fixed),
    status: typeof attributes.status === 'string' ? attributes.status : null,
    uri: linkOf(chunk.uri),
  };
};

/** @param tenant owner of the chunks, beside shared ones; nothing is loaded without it */
export const createPieces = (corpus: Pick<Corpus, 'load'>, tenant: TenantId | undefined): Pieces =>
  new DataLoader(async (numbers) => {
    if (tenant === undefined) return numbers.map(() => undefined);
    const chunks = await corpus.load(tenant, numbers);
    return numbers.map((number) => {
      const chunk = chunks.get(number);
      return chunk && viewOf(chunk);
    });
  });
