import type { Environment } from '../../catalogue/environments/environment.ts';
import type { PolicyDrift, PolicySigner } from './policies.store.ts';

export const POLICY_KINDS = [
  'approvals',
  'separation_of_duties',
  'evidence',
  'promotion_order',
  'strategy',
  'analysis',
  'landing',
  'trusted_signer',
  'accepted_drift',
] as const;

type PolicyKind = (typeof POLICY_KINDS)[number];

/** Policy that applies to releases, from whichever setting it comes. */
export interface EffectivePolicy {
  /** Id such as `approvals:<environment id>`: stable while the setting exists; lists are ordered by it. */
  readonly policyId: string;
  /** Name, unique in its kind and tenant: `Approvals in Production`. */
  readonly name: string;
  readonly kind: PolicyKind;
  /** Whether the policy is in force. */
  readonly enabled: boolean;
  /** Environment that the policy applies to; null for all. */
  readonly environment: { readonly id: string; readonly name: string } | null;
  /** Time at which the policy ends. */
  readonly expiresAt: Date | null;
  /** The rule in sentences. */
  readonly rule: string;
  readonly source: 'orchestrator';
}

const EVIDENCE = {
  sbom: 'an SBOM',
  vex: 'a VEX document',
  score_proof: 'a score proof',
  provenance: 'provenance',
} as const;

const STRATEGIES = {
  all_at_once: 'all targets at once',
  rolling: 'in batches',
  canary: 'as a canary',
  blue_green: 'blue-green',
} as const;

const GATES = {
  manual: 'Somebody passes each gate.',
  analysis: 'The analysis passes each gate.',
  none: 'Nothing waits at its gates.',
} as const;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const approvalsRule = ({ name, requiredApprovals: n, approvingClientIds: clients }: Environment): string => {
  if (n === 0) return `A promotion to ${name} needs no approval.`;
  const by = clients.length === 0 ? '' : ` Beside people the clients ${listed(clients)} may approve.`;
  return `A promotion to ${name} needs ${n === 1 ? 'one approval' : `${n} approvals`}, none of them by who requested it.${by}`;
};

const evidenceRule = ({ name, requiredEvidence }: Environment, before: Environment | undefined): string => {
  const evidence = listed(requiredEvidence.map((type) => EVIDENCE[type]));
  if (evidence === '') return `${name} asks a release for no evidence.`;
  return before === undefined
    ? `A release without ${evidence} is not ready, and only what is ready comes to ${name}.`
    : `${name} asks for ${evidence}; a release is held against the first environment of the path.`;
};

const strategyRule = ({ name, defaultStrategy, strategyParams, deployTimeoutSeconds }: Environment): string => {
  const { batchPercent, canarySteps, gate } = strategyParams;
  const shares = {
    rolling: ` of ${batchPercent}% of the targets`,
    canary: ` in steps of ${listed(canarySteps.map((step) => `${step}%`))}`,
  };
  const how = `${STRATEGIES[defaultStrategy]}${Reflect.get(shares, defaultStrategy) ?? ''}`;
  const gates = defaultStrategy === 'all_at_once' ? '' : ` ${GATES[gate]}`;
  return `Unless a launch says otherwise, ${name} is deployed ${how}.${gates} A target that takes longer than ${deployTimeoutSeconds} seconds has failed.`;
};

const analysisRule = ({ name, analysis }: Environment): string => {
  if (analysis === null) return `No metrics are asked before a gate in ${name} opens.`;
  const bounds = [
    ...(analysis.min === null ? [] : [`at least ${analysis.min}`]),
    ...(analysis.max === null ? [] : [`at most ${analysis.max}`]),
  ];
  return `While a gate in ${name} is closed, the query \`${analysis.query}\` is asked every ${analysis.intervalSeconds} seconds: a value passes that is ${listed(bounds)}; ${analysis.passes} passes in a row open the gate, ${analysis.failures} failures in all halt the deployment.`;
};

interface Rule {
  readonly kind: PolicyKind;
  readonly title: string;
  readonly enabled: boolean;
  readonly rule: string;
}

const rulesOf = (environment: Environment, before: Environment | undefined): readonly Rule[] => {
  const { name, requiredApprovals, separationOfDuties, requiredEvidence, analysis, strategyParams } = environment;
  const isSeparated = separationOfDuties === 'author';
  return [
    {
      kind: 'approvals',
      title: 'Approvals',
      enabled: requiredApprovals > 0,
      rule: approvalsRule(environment),
    },
    {
      kind: 'separation_of_duties',
      title: 'Separation of duties',
      enabled: isSeparated,
      rule: isSeparated
        ? `Who made or finalized a release does not approve its promotion to ${name}, and its only approver does not launch it.`
        : `Who made a release may approve its promotion to ${name}.`,
    },
    {
      kind: 'evidence',
      title: 'Evidence',
      // The evidence of a release is checked against the first environment of the path, when it becomes ready.
      enabled: requiredEvidence.length > 0 && before === undefined,
      rule: evidenceRule(environment, before),
    },
    {
      kind: 'promotion_order',
      title: 'Promotion order',
      enabled: before !== undefined,
      rule: before
        ? `A release comes to ${name} only after it has landed verified in ${before.name} and everything before it.`
        : `${name} is where releases begin: nothing comes before it.`,
    },
    { kind: 'strategy', title: 'Strategy', enabled: true, rule: strategyRule(environment) },
    {
      kind: 'analysis',
      title: 'Analysis',
      enabled: analysis !== null && strategyParams.gate === 'analysis',
      rule: analysisRule(environment),
    },
  ];
};

/** Policies of the environments' settings; `path` holds all environments of the tenant, in order. */
export const environmentPolicies = (path: readonly Environment[]): EffectivePolicy[] =>
  path.flatMap((environment, index) =>
    rulesOf(environment, path[index - 1]).map(
      ({ kind, title, enabled, rule }): EffectivePolicy => ({
        policyId: `${kind}:${environment.id}`,
        name: `${title} in ${environment.name}`,
        kind,
        enabled,
        environment: { id: environment.id, name: environment.name },
        expiresAt: null,
        rule,
        source: 'orchestrator',
      }),
    ),
  );

export const LANDING: EffectivePolicy = {
  policyId: 'landing:platform',
  name: 'Verified landing',
  kind: 'landing',
  enabled: true,
  environment: null,
  expiresAt: null,
  rule: 'A deployment counts as landed only where agents report the digest that was gated. Another digest fails it and is never retried; no digest at all leaves it unverified, and only what landed verified everywhere is attested.',
  source: 'orchestrator',
};

/** Policy of a trusted signer, with its end if it was removed. */
export const signerPolicy = (signer: PolicySigner): EffectivePolicy => {
  const owner =
    signer.kind === 'key' ? `the key ${signer.keyId}` : `${signer.identity}, vouched for by ${signer.issuer},`;
  const counts = signer.removedAt === null ? 'counts' : 'no longer counts';
  return {
    policyId: `trusted_signer:${signer.id}`,
    name: `Trusted signer ${signer.name}`,
    kind: 'trusted_signer',
    enabled: signer.removedAt === null,
    environment: null,
    expiresAt: signer.removedAt,
    rule: `What ${owner} signs of images (${listed(signer.purposes)}) ${counts}.`,
    source: 'orchestrator',
  };
};

/** Policy of an accepted deviation. */
export const driftPolicy = (drift: PolicyDrift): EffectivePolicy => ({
  policyId: `accepted_drift:${drift.id}`,
  name: `Accepted drift of ${drift.component} on ${drift.target}`,
  kind: 'accepted_drift',
  enabled: drift.isStanding,
  environment: { id: drift.environmentId, name: drift.environmentName },
  expiresAt: drift.endsAt,
  rule: `${drift.digest} of ${drift.component} may run on ${drift.target} in ${drift.environmentName} although it was not approved: ${drift.reason}`,
  source: 'orchestrator',
});
