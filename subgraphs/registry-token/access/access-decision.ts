import { CATALOG, matches } from './pattern.ts';
import { type AccessRules, EVERY_ACTION, type Plan } from './plans.ts';
import { excerpt, type RequestedScope, readScopes } from './scope.ts';

/** Entry of the `access` claim (distribution's token specification). */
export interface Access {
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
}

export interface AccessRequest {
  readonly service: string | undefined;
  /** The values of all `scope` parameters. */
  readonly scope: readonly string[];
  /** The `svc:plan` and `svc:license` claims. */
  readonly plan: string | undefined;
  readonly license: string | undefined;
}

interface ScopeDecision {
  readonly scope: string;
  readonly allowed: boolean;
  readonly coveredBy: string | null;
  readonly missing: readonly string[];
  readonly reason: string;
}

/** Decision on a request, shared by the token endpoint and the simulator. */
export interface Decision {
  readonly allowed: boolean;
  readonly status: 200 | 400 | 403;
  /** RFC 6749 5.2, RFC 6750 3.1. */
  readonly error: 'invalid_request' | 'invalid_scope' | 'insufficient_scope' | null;
  /** Refused part of the request, for the counters. */
  readonly cause: 'service' | 'scope' | 'license' | 'plan' | 'coverage' | null;
  readonly reason: string;
  readonly plan: string | null;
  readonly scopes: readonly ScopeDecision[];
  readonly access: readonly Access[];
}

interface Judged extends ScopeDecision {
  readonly requested: RequestedScope;
  readonly granted: readonly string[];
}

type Cause = NonNullable<Decision['cause']>;

/** Status and error by cause (spec 7.3, rulings). */
const ANSWERS: Readonly<Record<Cause, Pick<Decision, 'status' | 'error'>>> = {
  service: { status: 400, error: 'invalid_request' },
  scope: { status: 400, error: 'invalid_scope' },
  license: { status: 403, error: 'insufficient_scope' },
  plan: { status: 403, error: 'insufficient_scope' },
  coverage: { status: 403, error: 'insufficient_scope' },
};

const refusal = (
  cause: Cause,
  reason: string,
  overrides: Partial<Pick<Decision, 'plan' | 'scopes'>> = {},
): Decision => ({
  allowed: false,
  ...ANSWERS[cause],
  cause,
  reason,
  plan: null,
  scopes: [],
  access: [],
  ...overrides,
});

/** Expands a requested star to all actions, except for the catalogue. */
const spelled = ({ type, actions }: RequestedScope): readonly string[] =>
  type === 'repository' && actions.includes('*') ? EVERY_ACTION : actions;

const judge = (requested: RequestedScope, plan: Plan): Judged => {
  const name = requested.type === 'registry' ? CATALOG : requested.name;
  const rules = plan.repositories.filter(({ pattern }) => matches(pattern, name));
  const actions = new Set(rules.flatMap(({ actions }) => actions));
  // The star of a rule covers the existing actions; an unknown action is covered by no rule.
  const isOnHold = (action: string): boolean =>
    actions.has(action) || (actions.has('*') && (EVERY_ACTION.includes(action) || action === '*'));
  const requestedScopes = spelled(requested);
  const missing = requestedScopes.filter((action) => !isOnHold(action));
  const granted = requestedScopes.filter(isOnHold);
  const words = missing.join(', ');
  const reason =
    missing.length === 0
      ? `The plan ${plan.name} covers it.`
      : rules.length === 0
        ? `No pattern of the plan ${plan.name} covers ${requested.name}.`
        : `The plan ${plan.name} does not cover ${words} of ${requested.name}.`;
  const coveredBy = rules.find(({ actions }) => actions.some((action) => action === '*' || granted.includes(action)));
  return {
    requested,
    granted,
    scope: requested.text,
    allowed: missing.length === 0,
    coveredBy: granted.length === 0 ? null : (coveredBy?.pattern ?? null),
    missing,
    reason,
  };
};

/** Checks for the pull of a cross-repository mount, whose denial must not block the push of the same request. */
const isMount = ({ requested }: Judged, all: readonly Judged[]): boolean =>
  requested.type === 'repository' &&
  requested.actions.length === 1 &&
  requested.actions[0] === 'pull' &&
  all.some(
    (other) =>
      other.allowed &&
      other.requested.type === 'repository' &&
      other.requested.name !== requested.name &&
      other.granted.includes('push'),
  );

/** Entries by resource with distinct actions. */
const accessOf = (judged: readonly Judged[]): Access[] => {
  const found = new Map<string, { type: string; name: string; actions: string[] }>();
  for (const { requested, granted } of judged) {
    if (granted.length === 0) continue;
    const key = `${requested.type}:${requested.name}`;
    const entry = found.get(key) ?? { type: requested.type, name: requested.name, actions: [] };
    for (const action of granted) if (!entry.actions.includes(action)) entry.actions.push(action);
    found.set(key, entry);
  }
  return [...found.values()];
};

const visible = ({ scope, allowed, coveredBy, missing, reason }: Judged): ScopeDecision => ({
  scope,
  allowed,
  coveredBy,
  missing,
  reason,
});

const grant = (requested: readonly RequestedScope[], plan: Plan, partial: AccessRules['partialGrants']): Decision => {
  const judged = requested.map((scope) => judge(scope, plan));
  const uncovered = judged.filter((each) => !each.allowed);
  const isDropped = (each: Judged): boolean => isMount(each, judged);
  const blocking = partial === 'intersect' ? [] : uncovered.filter((each) => !isDropped(each));
  const access = accessOf(partial === 'intersect' ? judged : judged.filter((each) => each.allowed));
  const scopes = judged.map((each) =>
    !each.allowed && isDropped(each)
      ? { ...visible(each), reason: `${each.reason} A mount: left out.` }
      : visible(each),
  );
  const [first] = blocking.length > 0 ? blocking : access.length === 0 ? uncovered : [];
  if (first) return refusal('coverage', first.reason, { plan: plan.name, scopes });
  const remaining = uncovered.length === 0 ? '' : ' What it does not cover is left out.';
  const reason = requested.length === 0 ? 'Nothing was asked for.' : `The plan ${plan.name} covers it.${remaining}`;
  return { allowed: true, status: 200, error: null, cause: null, reason, plan: plan.name, scopes, access };
};

const planOf = ({ plans, defaultPlan }: AccessRules, claimed: string | undefined): Plan | Decision => {
  const name = claimed ?? defaultPlan;
  if (name === undefined) return refusal('plan', 'The token names no plan (svc:plan), and there is no default plan.');
  const plan = plans.get(name);
  return plan ?? refusal('plan', `There is no plan ${excerpt(name)}.`);
};

/** Decides on a registry token by the request's form, the licence, the plan and its coverage, in this order. */
export const decideAccess = (rules: AccessRules, request: AccessRequest): Decision => {
  const { service, scope, license } = request;
  if (service === undefined || service === '') return refusal('service', 'The parameter service is missing.');
  if (rules.services.size > 0 && !rules.services.has(service))
    return refusal('service', `No registry ${excerpt(service)} is served here.`);
  const reading = readScopes(scope);
  if (reading.malformed) {
    const { text, reason } = reading.malformed;
    return refusal('scope', `The scope ${text} ${reason}.`);
  }
  if (license !== undefined && rules.revokedLicenses.has(license))
    return refusal('license', `The licence ${excerpt(license)} was revoked.`);
  const plan = planOf(rules, request.plan);
  return 'repositories' in plan ? grant(reading.scopes, plan, rules.partialGrants) : plan;
};
