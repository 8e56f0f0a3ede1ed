import type { ActiveEncoder, Encoder } from './encoder.ts';
import { createFailureBackoff } from './failure-backoff.ts';
import { hashEncoder } from './hash-encoder.ts';
import { openOnnxEncoder } from './onnx-encoder.ts';

export interface FallbackOptions {
  readonly encoder: 'hash' | 'onnx';
  readonly modelPath?: string | undefined;
  readonly limitMs: number;
  /** Replaced by tests. */
  readonly hash?: Encoder;
  /** Replaced by tests. */
  readonly open?: (modelPath: string) => Promise<Encoder>;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
}

export interface FallbackEncoder {
  active(): ActiveEncoder;
  /** Counts changes of the encoder; vectors of different ones are not comparable. */
  generation(): number;
  dimensions(): number;
  /** Vectors, with zeros for a text that alone fails; undefined if no encoder is left or it failed. Never rejects. */
  encode(texts: readonly string[]): Promise<readonly Float32Array[] | undefined>;
  reason(): string | undefined;
}

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const delayed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`it took more than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, delayed]);
  } finally {
    clearTimeout(timer);
  }
};

class Late extends Error {
  override readonly name = 'Late';
}

/** @throws Error where vectors are missing, of another length or not made of numbers */
const checked = (vectors: readonly Float32Array[], count: number, dimensions: number): readonly Float32Array[] => {
  if (vectors.length !== count) throw new Error(`${vectors.length} vectors of ${count} texts`);
  if (vectors.some((vector) => vector.length !== dimensions || !vector.every(Number.isFinite)))
    throw new Error('a vector is not made of numbers');
  return vectors;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const encodeAll = async (encoder: Encoder, texts: readonly string[], limitMs: number) =>
  checked(await within(limitMs, encoder.encode(texts)), texts.length, encoder.dimensions);

/** Encodes texts one by one; a failing text gets zeros. @throws Error where all fail */
const encodeEach = async (encoder: Encoder, texts: readonly string[], limitMs: number, failure: unknown) => {
  const vectors: Float32Array[] = [];
  let failed = 0;
  for (const text of texts)
    try {
      vectors.push(...(await encodeAll(encoder, [text], limitMs)));
    } catch (error) {
      // A slow machine, not the text, causes the delay.
      if (error instanceof Late) throw error;
      failed += 1;
      vectors.push(new Float32Array(encoder.dimensions));
    }
  if (failed === texts.length) throw failure;
  return vectors;
};

const encodeWith = async (encoder: Encoder, texts: readonly string[], limitMs: number) => {
  try {
    return await encodeAll(encoder, texts, limitMs);
  } catch (error) {
    if (error instanceof Late || texts.length < 2) throw error;
    return encodeEach(encoder, texts, limitMs, error);
  }
};

interface ActiveChoice {
  readonly name: ActiveEncoder;
  readonly encoder: Encoder | undefined;
}

export const createFallbackEncoder = async (options: FallbackOptions): Promise<FallbackEncoder> => {
  const { modelPath, limitMs, hash = hashEncoder, open = openOnnxEncoder, now = () => performance.now() } = options;
  const wantsModel = options.encoder === 'onnx';
  const nothing: ActiveChoice = { name: 'hash-fallback', encoder: undefined };
  const hashing: ActiveChoice = { name: wantsModel ? 'onnx-fallback' : 'hash', encoder: hash };
  const trust = createFailureBackoff(now);
  let model: ActiveChoice | undefined;
  let active = hashing;
  let generation = 1;
  let reason: string | undefined;

  const activate = (next: ActiveChoice): void => {
    active = next;
    generation += 1;
  };

  /** A model may fail now and then; hashing that fails is broken. */
  const fallBack = (from: ActiveChoice, error: unknown): void => {
    if (active !== from) return;
    reason = messageOf(error);
    if (from !== model) activate(nothing);
    else if (trust.fail()) activate(hashing);
  };

  /** Gives a model that failed another chance, once its time has come. */
  const retryModel = async (): Promise<void> => {
    if (!model?.encoder || active === model || !trust.isDue()) return;
    try {
      await encodeAll(model.encoder, ['probe'], limitMs);
      reason = undefined;
      activate(model);
    } catch (error) {
      reason = messageOf(error);
    }
  };

  const encode = async (texts: readonly string[]): Promise<readonly Float32Array[] | undefined> => {
    await retryModel();
    const by = active;
    if (!by.encoder) return undefined;
    try {
      const vectors = await encodeWith(by.encoder, texts, limitMs);
      if (by === model) trust.succeed();
      return vectors;
    } catch (error) {
      fallBack(by, error);
      return active === by || !active.encoder ? undefined : encode(texts);
    }
  };

  if (wantsModel)
    try {
      if (modelPath === undefined) throw new Error('no model is set (Search:OnnxModelPath)');
      model = { name: 'onnx', encoder: await open(modelPath) };
      active = model;
    } catch (error) {
      reason = messageOf(error);
    }
  await encode(['probe']);

  return {
    active: () => active.name,
    generation: () => generation,
    dimensions: () => active.encoder?.dimensions ?? 0,
    encode,
    reason: () => reason,
  };
};
