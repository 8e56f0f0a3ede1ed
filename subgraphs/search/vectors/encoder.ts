/** Makes vectors of texts: what means the same is near each other. */
export interface Encoder {
  readonly dimensions: number;
  /** A vector of length one for each text, or of zeros for a text that says nothing. */
  encode(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/**
 * What makes the vectors that are searched (spec 2.8):
 * `hash`: feature hashing, as the setting says.
 * `onnx`: the model that the setting names.
 * `onnx-fallback`: a model is set and cannot be used, or not yet (its package, file or vocabulary is missing or broken,
 * it failed or took too long), so feature hashing stands in for it.
 * `hash-fallback`: nothing makes vectors, feature hashing and its index included; words alone answer.
 */
export type ActiveEncoder = 'hash' | 'onnx' | 'onnx-fallback' | 'hash-fallback';

/** A vector of length one; zeros stay zeros. @throws RangeError where a number is none */
export const normalised = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length)) throw new RangeError('a vector has a component that is no number');
  return length === 0 ? vector : vector.map((value) => value / length);
};
