import { createDigester, type Digest } from '@landfall/kernel/crypto/digest';
import type { OpenObject } from './object-store.ts';

/** Identity that the bytes of an object must have. */
interface ExpectedBytes {
  readonly sha256: Digest;
  readonly sizeBytes: number;
}

/** Bytes that are not those of the index. */
export class CorruptObject extends Error {
  override readonly name = 'CorruptObject';
}

/**
 * Reads an object and hashes it meanwhile. The last chunk follows only when size and hash are those of the index, so that a
 * wrong object never reaches its reader whole.
 * @throws CorruptObject
 */
export async function* verifiedBytes({ bytes }: OpenObject, expected: ExpectedBytes): AsyncGenerator<Uint8Array> {
  const digester = createDigester();
  let sizeBytes = 0;
  let held: Uint8Array | undefined;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > expected.sizeBytes)
      throw new CorruptObject(`The object is larger than the ${expected.sizeBytes} bytes of the index.`);
    digester.add(chunk);
    if (held) yield held;
    held = chunk;
  }
  if (sizeBytes !== expected.sizeBytes)
    throw new CorruptObject(`The object has ${sizeBytes} bytes, and the index has ${expected.sizeBytes}.`);
  const found = digester.digest();
  if (found !== expected.sha256) throw new CorruptObject(`The object’s hash is ${found}, not ${expected.sha256}.`);
  if (held) yield held;
}
