/** Checks in order, with the names of `POST /api/v1/rekor/verify` in the specification. */
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

/** Checks that must pass; consistency and timestamp may be skipped, but not fail. */
export const required: ReadonlySet<CheckName> = new Set([
  'signature',
  'body',
  'inclusion',
  'checkpoint',
  'subject',
  'predicate',
]);

/** Result of a verification. An invalid bundle gives a result, never an exception. */
export interface Verification {
  readonly verified: boolean;
  readonly checks: Readonly<Record<CheckName, CheckResult>>;
  readonly details: Readonly<Partial<Record<CheckName, string>>>;
  readonly log:
    | { readonly origin: string; readonly index: number; readonly treeSize: number; readonly rootHash: string }
    | undefined;
  /** Time from a timestamp authority's token; undefined without one. */
  readonly signedAt: Date | undefined;
  /** First failure: a stable slug, a colon, and a message. */
  readonly errorMessage: string | undefined;
}
