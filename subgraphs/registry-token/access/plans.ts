/** Actions on a repository; `*` is all of them. */
export const ACTIONS = ['pull', 'push', 'delete', '*'] as const;

/** Actions that `*` expands to in a token. */
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

export interface AccessRules {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly defaultPlan: string | undefined;
  readonly revokedLicenses: ReadonlySet<string>;
  /** Values of `service` that are answered; empty, any. */
  readonly services: ReadonlySet<string>;
  /** Handling of partly covered requests. */
  readonly partialGrants: 'refuse' | 'intersect';
}
