import { JsonTokenizer } from '../sbom/json-tokenizer.ts';
import { SbomError } from '../sbom/sbom-error.ts';

/** Levels of nesting of the deepest document. */
const DEEPEST = 128;

/** Bytes that are read between two turns of the event loop. */
const PIECE = 1024 * 1024;

const refuseNul = (text: string): void => {
  if (text.includes('\0')) throw new SbomError('invalid_value', 'A text has the character NUL, which is not stored');
};

const checker = {
  begin: () => undefined,
  end: () => undefined,
  key: refuseNul,
  textMode: () => 'pieces' as const,
  piece: refuseNul,
  text: () => undefined,
  scalar: () => undefined,
};

/**
 * Refuses a document that two readers could understand differently: duplicate keys, broken Unicode. Yields to other
 * work between pieces.
 * @throws SbomError
 */
export const expectStrictJson = async (bytes: Buffer): Promise<void> => {
  const tokenizer = new JsonTokenizer(checker, DEEPEST);
  const start = bytes.toString('utf8', 0, 3) === '\ufeff' ? 3 : 0;
  for (let at = start; at < bytes.length; ) {
    let end = Math.min(at + PIECE, bytes.length);
    // A chunk ends at the end of a character: continuation bytes are 10xxxxxx.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
    tokenizer.write(bytes.subarray(at, end));
    at = end;
    if (at < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  tokenizer.end();
};
