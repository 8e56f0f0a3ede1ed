import type { ActiveEncoder, Encoder } from './encoder.ts';
import { hashEncoder } from './hash-encoder.ts';
import { openOnnxEncoder } from './onnx-encoder.ts';

export interface EncodingOptions {
  readonly encoder: 'hash' | 'onnx';
  readonly modelPath?: string | undefined;
  /** How long a batch may take, in milliseconds. */
  readonly limitMs: number;
  /** Feature hashing, unless a test has something else fail in its place. */
  readonly hash?: Encoder;
}

/** Vectors by whatever makes them at the time. */
export interface Encoding {
  active(): ActiveEncoder;
  /** Which encoder it is, counted up with each change: vectors of two of them cannot be compared. */
  generation(): number;
  dimensions(): number;
  /** Nothing where no encoder is left. Never rejects. */
  encode(texts: readonly string[]): Promise<readonly Float32Array[] | undefined>;
  /** Why the encoder that was asked for is not the one that works. */
  reason(): string | undefined;
}

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** @throws Error where vectors are missing, of another length or not made of numbers */
const checked = (vectors: readonly Float32Array[], count: number, dimensions: number): readonly Float32Array[] => {
  if (vectors.length !== count) throw new Error(`${vectors.length} vectors of ${count} texts`);
  if (vectors.some((vector) => vector.length !== dimensions || !vector.every(Number.isFinite)))
    throw new Error('a vector is not made of numbers');
  return vectors;
};

interface Standing {
  readonly name: ActiveEncoder;
  readonly encoder: Encoder | undefined;
}

/** The encoder that the setting names, and behind it those that stand in for it. */
export const createEncoding = async (options: EncodingOptions): Promise<Encoding> => {
  const { modelPath, limitMs, hash = hashEncoder } = options;
  const wantsModel = options.encoder === 'onnx';
  const nothing: Standing = { name: 'hash-fallback', encoder: undefined };
  const hashing: Standing = { name: wantsModel ? 'onnx-fallback' : 'hash', encoder: hash };
  let standing = hashing;
  let generation = 1;
  let reason: string | undefined;

  const fall = (from: Standing, error: unknown): void => {
    if (standing !== from) return;
    reason = error instanceof Error ? error.message : String(error);
    standing = from.name === 'onnx' ? hashing : nothing;
    generation += 1;
  };

  const encode = async (texts: readonly string[]): Promise<readonly Float32Array[] | undefined> => {
    const by = standing;
    if (!by.encoder) return undefined;
    try {
      return checked(await within(limitMs, by.encoder.encode(texts)), texts.length, by.encoder.dimensions);
    } catch (error) {
      fall(by, error);
      return encode(texts);
    }
  };

  if (wantsModel)
    try {
      if (modelPath === undefined) throw new Error('no model is set (Search:OnnxModelPath)');
      standing = { name: 'onnx', encoder: await openOnnxEncoder(modelPath) };
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  await encode(['probe']);

  return {
    active: () => standing.name,
    generation: () => generation,
    dimensions: () => standing.encoder?.dimensions ?? 0,
    encode,
    reason: () => reason,
  };
};
