import type { ActiveEncoder } from './encoder.ts';

interface VectorText {
  readonly number: number;
  readonly text: string;
}

interface Request {
  readonly id: number;
}

interface ApplyRequest extends Request {
  readonly kind: 'apply';
  readonly owner: string;
  readonly put: readonly VectorText[];
  readonly remove: readonly number[];
}

interface SearchRequest extends Request {
  readonly kind: 'search';
  readonly owners: readonly string[];
  readonly text: string;
  readonly limit: number;
}

interface ForgetRequest extends Request {
  readonly kind: 'forget';
  readonly owner: string;
}

/** Ends the thread between two native calls, since `terminate()` within one would abort the whole process. */
interface StopRequest {
  readonly kind: 'stop';
}

/** Requests of the vector thread; answers have the same `id`. */
export type VectorRequest = ApplyRequest | SearchRequest | ForgetRequest | StopRequest;

export interface VectorAnswer {
  readonly id: number;
  readonly active: ActiveEncoder;
  /** Changes with the encoder; earlier vectors are then void. */
  readonly generation: number;
  readonly reason?: string | undefined;
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
