import type { DecideFindingInput, TriageJustification, TriageScope, TriageStatus } from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import type { FieldProblem } from '../../lib/problem.ts';

export const STATUSES = ['NOT_AFFECTED', 'ACCEPTED', 'FALSE_POSITIVE', 'FIXING'] as const satisfies TriageStatus[];

export const JUSTIFICATIONS = [
  'VULNERABLE_CODE_NOT_IN_EXECUTE_PATH',
  'VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY',
  'VULNERABLE_CODE_NOT_PRESENT',
  'COMPONENT_NOT_PRESENT',
  'INLINE_MITIGATIONS_ALREADY_EXIST',
] as const satisfies TriageJustification[];

/** Choices for the end of a decision: never, after some days, or on a day that is typed. */
export const EXPIRIES = ['NEVER', '7', '30', '90', '180', 'DAY'] as const;
type Expiry = (typeof EXPIRIES)[number];

/** Choices of the form that are no text. */
export type TriageChoices = {
  readonly status: TriageStatus;
  readonly scope: TriageScope;
  readonly expiry: Expiry;
};

type Triaged = {
  readonly vulnId: string;
  readonly purl: string;
};

const DAY_MS = 86_400_000;

/** Choices for the end of a decision of a status: an accepted risk always ends. */
export const expiriesOf = (status: TriageStatus): readonly Expiry[] =>
  status === 'ACCEPTED' ? EXPIRIES.filter((one) => one !== 'NEVER') : EXPIRIES;

/** Choices after another status was chosen: an accepted risk ends after 90 days unless another end was chosen. */
export const withStatus = (choices: TriageChoices, status: TriageStatus): TriageChoices => ({
  ...choices,
  status,
  expiry: expiriesOf(status).includes(choices.expiry) ? choices.expiry : '90',
});

/** Instant of a typed day and time in UTC, `2026-12-31T10:00`; undefined for a text that is none. */
export function typedInstant(text: string): string | undefined {
  const at = new Date(`${text}Z`);
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Text of a field for a day and a time in UTC; empty without an instant. */
export const typedText = (instant: string | null): string =>
  instant === null ? '' : new Date(instant).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

function expiryOf({ text, wrong }: FormFields, expiry: Expiry, now: Date, invalid: string): string | undefined {
  if (expiry === 'NEVER') return undefined;
  if (expiry !== 'DAY') return new Date(now.getTime() + Number(expiry) * DAY_MS).toISOString();
  const at = typedInstant(text('expiresAt'));
  if (at === undefined) wrong.push({ field: 'expiresAt', message: invalid, code: '' });
  return at;
}

/** Messages of what the form finds wrong by itself. */
type Messages = { readonly expiry: string; readonly justification: string; readonly reason: string };

/** Decision about the findings of a vulnerability; what is missing is gathered in `fields.wrong`. */
export function triageInput(
  { vulnId, purl }: Triaged,
  { status, scope, expiry }: TriageChoices,
  fields: FormFields,
  { now, messages }: { readonly now: Date; readonly messages: Messages },
): DecideFindingInput {
  const { text, need, wrong } = fields;
  const [justification, impactStatement] = [
    JUSTIFICATIONS.find((one) => one === text('justification')),
    text('impactStatement'),
  ];
  const isJustified = status === 'NOT_AFFECTED';
  if (isJustified && justification === undefined && impactStatement === '')
    wrong.push({ field: 'justification', message: messages.justification, code: '' });
  need('reason', messages.reason);
  const expiresAt = expiryOf(fields, expiry, now, messages.expiry);
  return {
    vulnerabilityId: vulnId,
    scope,
    status,
    reason: text('reason'),
    ...(scope === 'COMPONENT' && { component: purl }),
    ...(scope === 'PRODUCT' && { productId: text('productId') }),
    ...(isJustified && justification !== undefined && { justification }),
    ...(isJustified && impactStatement !== '' && { impactStatement }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Refusals under the fields of the form: vulnerability and component are shown in its scope. */
export const triageProblems = (problems: readonly FieldProblem[]): readonly FieldProblem[] =>
  problems.map((one) =>
    one.field === 'component' || one.field === 'vulnerabilityId' ? { ...one, field: 'scope' } : one,
  );
