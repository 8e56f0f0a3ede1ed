import type { ActiveEncoder } from './encoder.ts';

/** A text to make a vector of, by its chunk's number. */
export interface VectorText {
  readonly number: number;
  readonly text: string;
}

/** What the thread of vectors is asked; each request has an answer with its `id`. */
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
  /** Changes with the encoder: what was applied before has to be applied again. */
  readonly generation: number;
  readonly reason?: string | undefined;
  /** Vectors of all owners together. */
  readonly size: number;
  /** Of the owner that something was applied to. */
  readonly owned: number;
  /** The encoder gave nothing this time: what was to be applied is to be applied again. */
  readonly hasFailed: boolean;
  readonly hits: readonly { readonly number: number; readonly score: number }[];
}

/** Of the first message, which is told without a question: the encoder is ready, or what stands in for it. */
export const READY = 0;

/** What the thread is started with. */
export interface VectorSetup {
  readonly encoder: 'hash' | 'onnx';
  readonly modelPath: string | undefined;
  readonly limitMs: number;
}
