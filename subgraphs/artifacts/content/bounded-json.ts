/** Largest content that is read, in bytes. */
export const MAX_CONTENT_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Content that is not read. The message says why. */
export class UnreadContent extends Error {
  override readonly name = 'UnreadContent';
}

/** Refuses deep nesting in one pass over the bytes, before anything is built of them. */
const refuseDepth = (bytes: Buffer): void => {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes.readUInt8(index);
    if (isText && byte === BACKSLASH) index += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (!isText && OPENING.has(byte)) depth += 1;
    else if (!isText && CLOSING.has(byte)) depth -= 1;
    if (depth > MAX_DEPTH) throw new UnreadContent(`It nests deeper than ${MAX_DEPTH} levels.`);
  }
};

/**
 * Parses bytes within the bounds.
 * @throws UnreadContent
 */
export const parseBoundedJson = (bytes: Buffer): unknown => {
  if (bytes.length > MAX_CONTENT_BYTES) throw new UnreadContent(`It is larger than ${MAX_CONTENT_BYTES} bytes.`);
  refuseDepth(bytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new UnreadContent('It is not JSON.');
  }
};
