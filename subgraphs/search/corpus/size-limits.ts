import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Chunk } from './chunk.ts';

/**
 * What the database takes and what is worth keeping: bytes of a name and of a key, since PostgreSQL's indices take 2,700
 * with tenant and source beside them; UTF-16 units of a title and of a value of an attribute; values of one list.
 */
const LONGEST = {
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

/** Whether a name is one that an index holds; nobody types longer ones. */
export const isIndexableName = (text: string): boolean => hasRoom(text, LONGEST.name);

export const isIndexableKey = (key: string): boolean => hasRoom(key, LONGEST.key);

/** A key that an index holds: of one that is too long, the beginning and a hash of all of it. */
export const fitKey = (key: string): string => (isIndexableKey(key) ? key : `${key.slice(0, 200)}#${sha256Hex(key)}`);

/** Attributes with what is left of the room for all of them. */
const createFitting = () => {
  let room: number = LONGEST.attributes;
  const fitted = (value: unknown, depth: number): unknown => {
    room -= 8;
    if (typeof value === 'string') {
      const kept = cut(value, Math.max(1, Math.min(LONGEST.value, room)));
      room -= kept.length;
      return kept;
    }
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (depth === 0 || room <= 0) return undefined;
    if (Array.isArray(value)) return value.slice(0, LONGEST.values).map((one) => fitted(one, depth - 1));
    return members(value, depth - 1);
  };
  const members = (value: object, depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value)
        .slice(0, LONGEST.values)
        .filter(([name]) => isIndexableName(name))
        .flatMap(([name, member]) => {
          room -= name.length;
          return room <= 0 ? [] : [[name, fitted(member, depth)] as const];
        }),
    );
  return members;
};

/**
 * A chunk of a size that can be kept, whoever wrote it: a long title and long attributes are cut, names that no index
 * holds are left out, keys that none holds end with their hash.
 */
export const fitChunk = (chunk: Chunk): Chunk => {
  const { ecosystem, uri } = chunk;
  return {
    ...chunk,
    documentKey: fitKey(chunk.documentKey),
    entityKey: fitKey(chunk.entityKey),
    title: cut(chunk.title, LONGEST.title),
    identifiers: chunk.identifiers.filter(isIndexableName),
    packages: chunk.packages.filter(isIndexableName),
    ecosystem: ecosystem && cut(ecosystem, LONGEST.title),
    uri: uri !== undefined && uri.length <= LONGEST.value ? uri : undefined,
    attributes: createFitting()(chunk.attributes ?? {}, LONGEST.depth),
  };
};
