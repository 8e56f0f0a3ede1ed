import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { type Id, idOf } from '@landfall/kernel/core/ids';
import { freeText, instant, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { normalizeAdvisoryId } from '../advisories/advisory-id.ts';
import { componentKey, PurlError, parsePurl } from '../packages/purl.ts';
import { JUSTIFICATIONS, TRIAGE_SCOPES, TRIAGE_STATUSES } from './decision.ts';

/** Why a decision was made or revoked. */
export const reason = freeText(2_000, 10);

export const decisionInput = Type.Object({
  vulnerabilityId: freeText(200),
  scope: oneOf(...TRIAGE_SCOPES),
  component: Type.Optional(Type.String({ minLength: 1, maxLength: 8_192 })),
  productId: Type.Optional(idOf('Product')),
  status: oneOf(...TRIAGE_STATUSES),
  justification: Type.Optional(oneOf(...JUSTIFICATIONS)),
  impactStatement: Type.Optional(freeText(2_000)),
  reason,
  expiresAt: Type.Optional(instant),
});

type DecisionInput = Static<typeof decisionInput>;

/** Findings that a decision is about, besides its vulnerability. */
interface Target {
  readonly componentKey: string | null;
  readonly productId: Id<'Product'> | null;
}

const required = (field: string, where: string): FieldFault => ({
  field,
  message: `is required where ${where}`,
  code: 'VAL_REQUIRED_FIELD',
});

const unexpected = (field: string, where: string): FieldFault => ({
  field,
  message: `has no place where ${where}`,
  code: 'VAL_INVALID_VALUE',
});

/** Faults of a field that belongs to one value of another field only. */
const judgeField = (field: string, value: unknown, isExpected: boolean, where: string): FieldFault[] => {
  if ((value !== undefined) === isExpected) return [];
  return [isExpected ? required(field, where) : unexpected(field, where)];
};

const scopeFaults = ({ scope, component, productId }: DecisionInput): FieldFault[] => [
  ...judgeField('component', component, scope === 'component', `the scope is ${scope}`),
  ...judgeField('productId', productId, scope === 'product', `the scope is ${scope}`),
];

const statusFaults = ({ status, justification, impactStatement }: DecisionInput): FieldFault[] => {
  if (status === 'not_affected')
    return justification === undefined && impactStatement === undefined
      ? [required('justification', 'the status is not_affected and there is no impact statement')]
      : [];
  return [
    ...judgeField('justification', justification, false, `the status is ${status}`),
    ...judgeField('impactStatement', impactStatement, false, `the status is ${status}`),
  ];
};

const yearAfter = (now: Date): Date => {
  const later = new Date(now);
  later.setUTCFullYear(now.getUTCFullYear() + 1);
  return later;
};

const expiryFaults = ({ status, expiresAt }: DecisionInput, now: Date): FieldFault[] => {
  if (expiresAt === undefined) return status === 'accepted' ? [required('expiresAt', 'the status is accepted')] : [];
  const fault = (message: string): FieldFault[] => [{ field: 'expiresAt', message, code: 'VAL_INVALID_VALUE' }];
  const at = new Date(expiresAt);
  if (at <= now) return fault(`must be later than now, ${now.toISOString()}`);
  const latest = yearAfter(now);
  if (status !== 'accepted' || at <= latest) return [];
  return fault(`a risk is accepted for one year at most, until ${latest.toISOString()}`);
};

/** @throws Fault VAL_INVALID_FORMAT or VAL_INVALID_VALUE naming the field component */
const keyOf = (component: string): string => {
  try {
    const purl = parsePurl(component);
    if (purl.version === null)
      throw invalid([
        {
          field: 'component',
          message: 'has no version; a decision about a component is about one version of it',
          code: 'VAL_INVALID_VALUE',
        },
      ]);
    return componentKey(purl);
  } catch (error) {
    if (!(error instanceof PurlError)) throw error;
    throw invalid([{ field: 'component', message: error.message, code: 'VAL_INVALID_FORMAT' }]);
  }
};

/** Decision as it is requested, checked in all that needs no database. @throws Fault VAL_* with every wrong field */
export const readDecision = (input: DecisionInput, now: Date) => {
  const [first, ...more] = [...scopeFaults(input), ...statusFaults(input), ...expiryFaults(input, now)];
  if (first) throw invalid([first, ...more]);
  const { scope, component, productId, status, expiresAt } = input;
  const target: Target = {
    componentKey: component === undefined ? null : keyOf(component),
    productId: productId ?? null,
  };
  return {
    ...target,
    scope,
    status,
    vulnerabilityId: normalizeAdvisoryId(input.vulnerabilityId.trim()),
    justification: input.justification ?? null,
    impactStatement: input.impactStatement ?? null,
    reason: input.reason,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  };
};
