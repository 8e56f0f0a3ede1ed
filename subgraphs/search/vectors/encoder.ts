/** Encoder of texts as vectors: texts of similar meaning have near vectors. */
export interface Encoder {
  readonly dimensions: number;
  /** Unit vectors; zeros for an empty text. */
  encode(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/**
 * Active encoder (spec 2.8). `hash`: feature hashing, as configured. `onnx`: the configured model. `onnx-fallback`:
 * feature hashing because the model is missing, broken, failing or still loading. `hash-fallback`: no vectors at all;
 * words alone answer.
 */
export type ActiveEncoder = 'hash' | 'onnx' | 'onnx-fallback' | 'hash-fallback';

/**
 * Vector of length one; zeros stay zeros.
 * @throws RangeError for a component that is no number
 */
export const normalised = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length)) throw new RangeError('a vector has a component that is no number');
  return length === 0 ? vector : vector.map((value) => value / length);
};
