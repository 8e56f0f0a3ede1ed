/** What can be done with a repository; `*` is all of it. */
export const ACTIONS = ['pull', 'push', 'delete', '*'] as const;

/** What `*` means for a repository: a registry is told the words, never the star. */
export const EVERY_ACTION: readonly string[] = ['pull', 'push', 'delete'];

export interface PlanRule {
  /** `acme/*`; `registry:catalog` for the list of all repositories. */
  readonly pattern: string;
  readonly actions: readonly string[];
}

export interface Plan {
  readonly name: string;
  readonly repositories: readonly PlanRule[];
}

/** The rules by which registry tokens are given: what `decide` needs of the settings. */
export interface AccessRules {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly defaultPlan: string | undefined;
  readonly revokedLicenses: ReadonlySet<string>;
  /** Values of `service` that are answered; empty, any. */
  readonly services: ReadonlySet<string>;
  /** Whether what a plan covers in part is refused, or granted in that part. */
  readonly partialGrants: 'refuse' | 'intersect';
}
