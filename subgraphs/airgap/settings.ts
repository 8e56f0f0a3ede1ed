import { defineSettings, type Settings } from '@landfall/kernel/system/settings';
import type { Thresholds } from './time/staleness.ts';
import { CONTENTS, type TimeOptions } from './time/time-options.ts';
import { NO_TRUST_ROOTS, readTrustRoots } from './time/trust-roots.ts';

export const airgapSettings = defineSettings({
  airgapTenant: {
    type: 'string',
    env: 'LANDFALL_AIRGAP_TENANT',
    name: 'AirGap:Time:TenantId',
    description: 'The only tenant whose time anchors are accepted; every tenant unless given.',
  },
  airgapWarningSeconds: {
    type: 'integer',
    env: 'LANDFALL_AIRGAP_WARNING_SECONDS',
    name: 'AirGap:Time:Staleness:WarningSeconds',
    default: 3_600,
    min: 1,
    description: 'Age of a time anchor, in seconds, from which the console warns.',
  },
  airgapBreachSeconds: {
    type: 'integer',
    env: 'LANDFALL_AIRGAP_BREACH_SECONDS',
    name: 'AirGap:Time:Staleness:BreachSeconds',
    default: 7_200,
    min: 1,
    description: 'Age of a time anchor, in seconds, from which imports of a sealed tenant are refused.',
  },
  airgapContentBudgets: {
    type: 'map',
    env: 'LANDFALL_AIRGAP_CONTENT_BUDGETS',
    name: 'AirGap:Time:ContentBudgets',
    default: {},
    description:
      'Ages of `advisories`, `vex` and `policy`, each `{"WarningSeconds": …, "BreachSeconds": …}`; those of the anchor unless given.',
  },
  airgapTrustRootFile: {
    type: 'string',
    env: 'LANDFALL_AIRGAP_TRUST_ROOT_FILE',
    name: 'AirGap:Time:TrustRootFile',
    description:
      'PEM file of the trusted timestamp authorities (their roots, or chains with the signing certificate first) and public keys of operators.',
  },
  airgapAllowUntrustedAnchors: {
    type: 'boolean',
    env: 'LANDFALL_AIRGAP_ALLOW_UNTRUSTED_ANCHORS',
    name: 'AirGap:Time:AllowUntrustedAnchors',
    default: false,
    description: 'Lets anchors without a trusted signature count. For laboratories.',
  },
  airgapAllowRequestTrustRoots: {
    type: 'boolean',
    env: 'LANDFALL_AIRGAP_ALLOW_REQUEST_TRUST_ROOTS',
    name: 'AirGap:Time:AllowRequestSuppliedTrustRoots',
    default: false,
    description: 'Lets a request bring the trust roots that its own anchor is checked by.',
  },
});

const SETTING = 'AirGap:Time:ContentBudgets';

const secondsOf = (budget: object, wanted: string, fallback: number, name: string): number => {
  const [, value = fallback] = Object.entries(budget).find(([key]) => key.toLowerCase() === wanted) ?? [];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw new Error(`${name}: ${wanted} must be a whole number of seconds, at least 1.`);
  return value;
};

const checked = (thresholds: Thresholds, name: string): Thresholds => {
  if (thresholds.warningSeconds <= thresholds.breachSeconds) return thresholds;
  throw new Error(
    `${name}: the warning (${thresholds.warningSeconds} s) must not come after the breach (${thresholds.breachSeconds} s).`,
  );
};

const budgetOf = (value: unknown, anchor: Thresholds, name: string): Thresholds => {
  if (value === undefined) return anchor;
  if (typeof value !== 'object' || value === null)
    throw new Error(`${name} must be an object such as {"WarningSeconds": 86400, "BreachSeconds": 172800}.`);
  return checked(
    {
      warningSeconds: secondsOf(value, 'warningseconds', anchor.warningSeconds, name),
      breachSeconds: secondsOf(value, 'breachseconds', anchor.breachSeconds, name),
    },
    name,
  );
};

/** Options of the time service (spec 2.7). @throws Error that names a setting and its problem */
export const timeOptionsOf = (settings: Settings<typeof airgapSettings>): TimeOptions => {
  const { airgapTrustRootFile: file, airgapContentBudgets: budgets } = settings;
  const anchor = checked(
    { warningSeconds: settings.airgapWarningSeconds, breachSeconds: settings.airgapBreachSeconds },
    'AirGap:Time:Staleness',
  );
  const unknown = Object.keys(budgets).find((key) => !CONTENTS.some((content) => content === key.toLowerCase()));
  if (unknown !== undefined) throw new Error(`${SETTING}: ${unknown} is none of ${CONTENTS.join(', ')}.`);
  const of = (content: string): Thresholds => {
    const [, value] = Object.entries(budgets).find(([key]) => key.toLowerCase() === content) ?? [];
    return budgetOf(value, anchor, `${SETTING}:${content}`);
  };
  return {
    tenant: settings.airgapTenant,
    staleness: anchor,
    budgets: { advisories: of('advisories'), vex: of('vex'), policy: of('policy') },
    roots: file === undefined ? NO_TRUST_ROOTS : readTrustRoots(file),
    allowsUntrusted: settings.airgapAllowUntrustedAnchors,
    allowsRequestRoots: settings.airgapAllowRequestTrustRoots,
  };
};
