/**
 * Model of products that share environments, written independently from sections 1 and 2 of the design of products and
 * without a database: a refused operation returns its code, one that is accepted changes the model.
 */

export type Code = string | undefined;

export type Labels = Readonly<Record<string, string>>;

export type Landing = 'verified' | 'unverified' | 'mismatch' | 'failed';

export type Separation = 'off' | 'author';

export interface Environment {
  readonly id: string;
  readonly orderIndex: number;
  requiredApprovals: number;
  separationOfDuties: Separation;
  /** Whether one product at a time is promoted and deployed here. */
  isExclusive: boolean;
}

export interface Policy {
  readonly requiredApprovals?: number;
  readonly separationOfDuties?: Separation;
  readonly relaxes?: boolean;
}

export interface Step {
  readonly environment: Environment | undefined;
  readonly after: readonly (Environment | undefined)[];
  readonly need: 'all' | 'any';
  readonly labels: Labels;
  readonly policy: Policy;
}

export interface Component {
  readonly name: string;
  readonly repository: string;
  readonly digest: string;
}

export interface Declared {
  readonly name: string;
  readonly repository: string;
  readonly required: boolean;
}

export interface Product {
  id: string;
  readonly name: string;
  isRemoved: boolean;
  components: readonly Declared[] | null;
  /** Null: the environments in order. */
  path: readonly Step[] | null;
}

export interface Target {
  id: string;
  readonly environment: Environment;
  product: Product | null;
  labels: Labels;
  isEnabled: boolean;
  isRemoved: boolean;
  /** Release that landed last, by the digests of its components. */
  approved: ReadonlyMap<string, string>;
  readonly seen: Map<string, string | null>;
}

export interface Release {
  id: string;
  readonly product: Product;
  readonly semver: string;
  readonly components: readonly Component[];
  readonly author: string;
  status: 'draft' | 'finalized' | 'ready' | 'deprecated';
  isHeld: boolean;
}

export interface Promotion {
  id: string;
  readonly release: Release;
  readonly environment: Environment;
  readonly requester: string;
  readonly approvalsNeeded: number;
  readonly approvers: string[];
  state: 'pending' | 'approved' | 'rejected' | 'cancelled' | 'deploying' | 'deployed' | 'failed' | 'superseded';
}

export interface Deployment {
  id: string;
  readonly promotion: Promotion;
  readonly kind: 'deploy' | 'rollback';
  /** Ends of the targets; null while a target has not ended. */
  readonly targets: Map<Target, Landing | null>;
  /** Deployment that a rollback undoes. */
  readonly undoes: Deployment | undefined;
  state:
    | 'queued'
    | 'in_progress'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'rollback_in_progress'
    | 'rolled_back'
    | 'rollback_failed';
  landing: 'verified' | 'unverified' | 'mismatch' | null;
  /** Whether the cause passes by itself, so that the deployment may be retried. */
  isRetryable: boolean;
}

export interface Model {
  readonly environments: readonly Environment[];
  readonly products: Product[];
  readonly targets: Target[];
  readonly releases: Release[];
  readonly promotions: Promotion[];
  /** Oldest first. */
  readonly deployments: Deployment[];
}

export const productOf = ({ promotion }: Deployment): Product => promotion.release.product;

export const environmentOf = ({ promotion }: Deployment): Environment => promotion.environment;

const RUNNING: readonly string[] = ['queued', 'in_progress'];

export const isRunning = ({ state }: Deployment): boolean => RUNNING.includes(state);

export const isLive = ({ isRemoved }: { readonly isRemoved: boolean }): boolean => !isRemoved;
