import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { parser } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { closed, name, ppm } from './document.ts';
import { MILLION } from './ppm.ts';

export const TRUST_LEVELS = ['untrusted', 'trusted', 'verified'] as const;

/** CVSS base score times ten. */
export const tenths = Type.Integer({ minimum: 0, maximum: 100 });

/** Policy of the score model (proofs 2.2). Weights, table results, floors and the share are in ppm. */
export const policySchema = Type.Object(
  {
    id: name,
    version: name,
    weights: Type.Object({ cvss: ppm, epss: ppm, kev: ppm, reachability: ppm, exposure: ppm, freshness: ppm }, closed),
    reachability: Type.Object({ reachable: ppm, potentially_reachable: ppm, unknown: ppm, unreachable: ppm }, closed),
    exposure: Type.Object({ internet: ppm, partner: ppm, unknown: ppm, internal: ppm, isolated: ppm }, closed),
    vexKeep: Type.Object({ none: ppm, affected: ppm, under_investigation: ppm, fixed: ppm, not_affected: ppm }, closed),
    /** Age of the evidence in seconds to ppm, ascending and piecewise linear. */
    freshnessSeconds: Type.Array(Type.Tuple([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), ppm]), {
      minItems: 1,
    }),
    vexMinimumTrust: Type.Enum([...TRUST_LEVELS]),
    kevFloor: ppm,
    maliciousFloor: ppm,
    unknownCvssTenths: tenths,
    /** Severity words of vendors. They are looked up in lower case, so another spelling would never be found. */
    vendorSeverityTenths: Type.Record(Type.String({ pattern: '^(?!moderate$)[^A-Z]+$' }), tenths, closed),
    /** Databases of advisories, as their ids begin (`GHSA`), best first; at equal CVSS version the first one counts. */
    sourceOrder: Type.Optional(Type.Array(name, { maxItems: 100, uniqueItems: true })),
    /** Share that each further finding adds, and the number of findings that count. */
    tail: Type.Object({ share: ppm, max: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }, closed),
  },
  closed,
);

export type Policy = Static<typeof policySchema>;

export const DEFAULT_POLICY: Policy = {
  id: 'default',
  version: '1',
  weights: { cvss: 350_000, epss: 200_000, kev: 150_000, reachability: 150_000, exposure: 100_000, freshness: 50_000 },
  reachability: { reachable: MILLION, potentially_reachable: 700_000, unknown: 600_000, unreachable: 100_000 },
  exposure: { internet: MILLION, partner: 700_000, unknown: 700_000, internal: 400_000, isolated: 100_000 },
  vexKeep: { none: MILLION, affected: MILLION, under_investigation: MILLION, fixed: 0, not_affected: 0 },
  freshnessSeconds: [
    [0, 0],
    [86_400, 0],
    [604_800, 500_000],
    [2_592_000, MILLION],
  ],
  // Neither public VEX hub signs its statements.
  vexMinimumTrust: 'trusted',
  kevFloor: 800_000,
  maliciousFloor: 900_000,
  unknownCvssTenths: 70,
  vendorSeverityTenths: { low: 30, medium: 55, high: 80, critical: 95 },
  tail: { share: 20_000, max: 50 },
};

const validator = Compile(policySchema);

const fault = (field: string, message: string): FieldFault => ({ field, message, code: 'VAL_INVALID_VALUE' });

const ruleFaults = ({ weights, freshnessSeconds }: Policy): FieldFault[] => {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  const isAscending = freshnessSeconds.every(([age], at) => age > (freshnessSeconds[at - 1]?.[0] ?? -1));
  return [
    ...(sum === MILLION ? [] : [fault('weights', `The weights sum to ${sum}, and not to ${MILLION}.`)]),
    ...(isAscending ? [] : [fault('freshnessSeconds', 'The ages of the freshness table do not ascend.')]),
  ];
};

const parseShape = parser(policySchema);

const shapeFaults = (value: unknown): FieldFault[] => {
  try {
    parseShape(value);
  } catch (error) {
    if (error instanceof Fault) return error.fields.map(({ field, message }) => fault(field, message));
    throw error;
  }
  return [];
};

/** Validates a policy at its publication (proofs 2.2). Throws Fault VAL_INVALID_VALUE that names each wrong field. */
export const parsePolicy = (value: unknown): Policy => {
  const isShaped = validator.Check(value);
  const [first, ...rest] = isShaped ? ruleFaults(value) : shapeFaults(value);
  if (first) throw invalid([first, ...rest]);
  if (!isShaped) throw invalid([fault('', 'It is not a policy.')]);
  return value;
};

/** CVSS tenths of a vendor's severity word; undefined for a word that the policy does not have. */
export const vendorTenths = (word: string, { vendorSeverityTenths }: Policy): number | undefined => {
  // In ASCII only: what lower case does to other letters changes with the version of Unicode.
  const lower = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const key = lower === 'moderate' ? 'medium' : lower;
  return Object.hasOwn(vendorSeverityTenths, key) ? vendorSeverityTenths[key] : undefined;
};
