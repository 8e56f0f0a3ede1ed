import type { Thresholds } from './staleness.ts';
import type { TrustRoots } from './trust-roots.ts';

export const CONTENTS = ['advisories', 'vex', 'policy'] as const;

/** Content that a site without a network receives, and that grows old. */
type Content = (typeof CONTENTS)[number];

/** Options of the time service (spec 2.7). */
export interface TimeOptions {
  /** The only tenant whose anchors are accepted; undefined for every tenant. */
  readonly tenant: string | undefined;
  readonly staleness: Thresholds;
  readonly budgets: Readonly<Record<Content, Thresholds>>;
  readonly roots: TrustRoots;
  readonly allowsUntrusted: boolean;
  readonly allowsRequestRoots: boolean;
}
