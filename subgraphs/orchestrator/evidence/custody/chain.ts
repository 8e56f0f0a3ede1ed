import type { StatementState } from '@landfall/attestation/admission/judge';
import type { Attestation } from '@landfall/attestation/statements/attestations.store';
import type { Id } from '@landfall/kernel/core/ids';
import type { ImageReading, ImageStatement } from '../images/image-statements.ts';

export const custodySteps = ['source', 'build', 'scan', 'approve', 'deploy', 'run'] as const;
export type CustodyStepName = (typeof custodySteps)[number];

/** One statement of a step: of a component, or of an environment. */
export interface CustodyStatement {
  readonly state: StatementState;
  readonly predicateType: string;
  readonly summary: string;
  readonly component: string | null;
  readonly environmentId: Id<'Environment'> | null;
  readonly deploymentId: Id<'Deployment'> | null;
  /** The name under which an image's signer is trusted. */
  readonly signer: string | null;
  readonly signedBy: string | null;
  readonly signedAt: Date | null;
  readonly digest: string;
  /** Our own statement, once there is a reference to it. */
  readonly attestationId: Id<'Attestation'> | null;
  readonly logIndex: string | null;
  readonly verifiedAt: Date | null;
  readonly reason: string | null;
}

export interface CustodyStep {
  readonly step: CustodyStepName;
  readonly state: StatementState;
  /** Null when it is proven. */
  readonly reason: string | null;
  readonly statements: readonly CustodyStatement[];
}

/** State of a release's components on the targets of one environment, as the estate has them now. */
export interface Sighting {
  readonly environmentId: Id<'Environment'>;
  readonly environmentName: string;
  readonly total: number;
  readonly drift: number;
  readonly unobserved: number;
}

/** Input of the custody rule for one release. */
export interface Evidence {
  /** As finalize fixed them; none while the release is a draft. */
  readonly components: readonly GatedComponent[];
  readonly reading: Pick<ImageReading, 'readAt' | 'lastError' | 'unread'> | undefined;
  readonly statements: readonly ImageStatement[];
  /** Oldest first. */
  readonly attestations: readonly Attestation[];
  readonly sightings: readonly Sighting[];
}

/** A component of a release whose digest is fixed. */
export interface GatedComponent {
  readonly name: string;
  readonly digest: string;
  readonly platforms: readonly { readonly digest: string }[];
}
