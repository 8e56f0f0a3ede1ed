import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Chunk } from './chunk.ts';

/**
 * Limits of storage: bytes of names and keys (an index row of PostgreSQL has 2,700 with tenant and source), UTF-16
 * units of titles and values, items of lists.
 */
const MAX_LENGTH = {
  name: 1_000,
  key: 1_000,
  title: 500,
  value: 4_000,
  values: 200,
  depth: 4,
  attributes: 64_000,
} as const;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

const hasRoom = (text: string, bytes: number): boolean =>
  text.length * 3 <= bytes || (text.length <= bytes && Buffer.byteLength(text) <= bytes);

export const isIndexableName = (text: string): boolean => hasRoom(text, MAX_LENGTH.name);

export const isIndexableKey = (key: string): boolean => hasRoom(key, MAX_LENGTH.key);

/** Key that fits an index; a longer one becomes a prefix and a hash. */
export const fitKey = (key: string): string => (isIndexableKey(key) ? key : `${key.slice(0, 200)}#${sha256Hex(key)}`);

/** Truncates attributes so that all of them together stay within the size limit. */
const createFitting = () => {
  let available: number = MAX_LENGTH.attributes;
  const fitted = (value: unknown, depth: number): unknown => {
    available -= 8;
    if (typeof value === 'string') {
      const storedChunks = cut(value, Math.max(1, Math.min(MAX_LENGTH.value, available)));
      available -= storedChunks.length;
      return storedChunks;
    }
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (depth === 0 || available <= 0) return undefined;
    if (Array.isArray(value)) return value.slice(0, MAX_LENGTH.values).map((one) => fitted(one, depth - 1));
    return members(value, depth - 1);
  };
  const members = (value: object, depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value)
        .slice(0, MAX_LENGTH.values)
        .filter(([name]) => isIndexableName(name))
        .flatMap(([name, member]) => {
          available -= name.length;
          return available <= 0 ? [] : [[name, fitted(member, depth)] as const];
        }),
    );
  return members;
};

/**
 * Truncates a chunk to the limits of storage: long titles and attributes are cut, long names dropped, long keys hashed.
 */
export const fitChunk = (chunk: Chunk): Chunk => {
  const { ecosystem, uri } = chunk;
  return {
    ...chunk,
    documentKey: fitKey(chunk.documentKey),
    entityKey: fitKey(chunk.entityKey),
    title: cut(chunk.title, MAX_LENGTH.title),
    identifiers: chunk.identifiers.filter(isIndexableName),
    packages: chunk.packages.filter(isIndexableName),
    ecosystem: ecosystem && cut(ecosystem, MAX_LENGTH.title),
    uri: uri !== undefined && uri.length <= MAX_LENGTH.value ? uri : undefined,
    attributes: createFitting()(chunk.attributes ?? {}, MAX_LENGTH.depth),
  };
};
