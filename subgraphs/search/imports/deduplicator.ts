import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Chunk } from '../corpus/chunk.ts';

/** 52 bits of a hash are enough among millions, and a number takes less room than a text. */
const markOf = (text: string): number => Number.parseInt(sha256Hex(text).slice(0, 13), 16);

const DIGITS = 12;

/** Detects repeated documents of an import by key and content; other content under a key gets a key of its own. */
export const createDeduplicator = () => {
  const keys = new Set<number>();
  const documents = new Set<number>();
  return {
    /** Returns the document under its storage key; undefined for a repetition. */
    admit(document: Chunk): Chunk | undefined {
      const key = `${document.source}\0${document.documentKey}`;
      const content = sha256Hex(JSON.stringify(document));
      const mark = markOf(`${key}\0${content}`);
      if (documents.has(mark)) return undefined;
      documents.add(mark);
      const keyMark = markOf(key);
      if (keys.has(keyMark)) return { ...document, documentKey: `${document.documentKey}~${content.slice(0, DIGITS)}` };
      keys.add(keyMark);
      return document;
    },
  };
};
