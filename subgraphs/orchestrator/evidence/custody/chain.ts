import type { StatementState } from '@landfall/attestation/admission/statement-judgement';
import type { Attestation } from '@landfall/attestation/statements/attestations.store';
import type { Id } from '@landfall/kernel/core/ids';
import type { ImageReading, ImageStatement } from '../images/image-statements.ts';

export const custodySteps = ['source', 'build', 'scan', 'approve', 'deploy', 'run'] as const;
export type CustodyStepName = (typeof custodySteps)[number];

/** Statement of one step, about a component or an environment. */
export interface CustodyStatement {
  readonly state: StatementState;
  readonly predicateType: string;
  readonly summary: string;
  readonly component: string | null;
  readonly environmentId: Id<'Environment'> | null;
  readonly deploymentId: Id<'Deployment'> | null;
  /** Name under which the image's signer is trusted. */
  readonly signer: string | null;
  readonly signedBy: string | null;
  readonly signedAt: Date | null;
  readonly digest: string;
  /** Attestation of the platform; null before the statement has a reference. */
  readonly attestationId: Id<'Attestation'> | null;
  readonly logIndex: string | null;
  readonly verifiedAt: Date | null;
  readonly reason: string | null;
}

export interface CustodyStep {
  readonly step: CustodyStepName;
  readonly state: StatementState;
  /** Reason why the step is not proven; null if it is. */
  readonly reason: string | null;
  readonly statements: readonly CustodyStatement[];
}

/** State of a release's components on the targets of one environment, from the estate. */
export interface EstateCounts {
  readonly environmentId: Id<'Environment'>;
  readonly environmentName: string;
  readonly total: number;
  readonly drift: number;
  readonly unobserved: number;
}

/** Input of the custody rule for one release. */
export interface Evidence {
  /** Components as fixed by finalize; empty while the release is a draft. */
  readonly components: readonly GatedComponent[];
  readonly reading: Pick<ImageReading, 'readAt' | 'lastError' | 'unread'> | undefined;
  readonly statements: readonly ImageStatement[];
  /** Attestations, oldest first. */
  readonly attestations: readonly Attestation[];
  readonly estateCounts: readonly EstateCounts[];
}

/** Component of a release whose digest is fixed. */
export interface GatedComponent {
  readonly name: string;
  readonly digest: string;
  readonly platforms: readonly { readonly digest: string }[];
}
