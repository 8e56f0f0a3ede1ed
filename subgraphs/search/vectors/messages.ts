import type { ActiveEncoder } from './encoder.ts';

/** A text to make a vector of, by its chunk's number. */
interface VectorText {
  readonly number: number;
  readonly text: string;
}

/** Requests of the vector thread; answers have the same `id`. */
export type VectorRequest = { readonly id: number } & (
  | {
      readonly kind: 'apply';
      readonly owner: string;
      readonly put: readonly VectorText[];
      readonly remove: readonly number[];
    }
  | { readonly kind: 'search'; readonly owners: readonly string[]; readonly text: string; readonly limit: number }
  | { readonly kind: 'forget'; readonly owner: string }
);

export interface VectorAnswer {
  readonly id: number;
  readonly active: ActiveEncoder;
  /** Changes with the encoder; earlier vectors are then void. */
  readonly generation: number;
  readonly reason?: string | undefined;
  /** Vectors of all owners together. */
  readonly size: number;
  /** Vectors of the owner of the last request. */
  readonly owned: number;
  /** The encoder failed; apply again. */
  readonly hasFailed: boolean;
  readonly hits: readonly { readonly number: number; readonly score: number }[];
}

/** Id of the unsolicited first message: the encoder or its fallback is ready. */
export const READY = 0;

export interface VectorSetup {
  readonly encoder: 'hash' | 'onnx';
  readonly modelPath: string | undefined;
  readonly limitMs: number;
}
