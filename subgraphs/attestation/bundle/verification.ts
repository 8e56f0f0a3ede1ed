/** In the order of proofs, as the specification's answer of `POST /api/v1/rekor/verify` names them. */
export const checkNames = [
  'signature',
  'body',
  'inclusion',
  'checkpoint',
  'consistency',
  'timestamp',
  'subject',
  'predicate',
] as const;

export type CheckName = (typeof checkNames)[number];

export type CheckResult = 'pass' | 'fail' | 'skipped';

/** The six that have to pass; consistency and timestamp may be skipped, and may not fail. */
export const required: ReadonlySet<CheckName> = new Set([
  'signature',
  'body',
  'inclusion',
  'checkpoint',
  'subject',
  'predicate',
]);

/** Result of a verification. A bad bundle is a result, never an exception. */
export interface Verification {
  readonly verified: boolean;
  readonly checks: Readonly<Record<CheckName, CheckResult>>;
  readonly details: Readonly<Partial<Record<CheckName, string>>>;
  readonly log:
    | { readonly origin: string; readonly index: number; readonly treeSize: number; readonly rootHash: string }
    | undefined;
  /** From a timestamp authority's token; undefined without one. */
  readonly signedAt: Date | undefined;
  /** The first failure: a stable slug, a colon, and a message. */
  readonly errorMessage: string | undefined;
}
