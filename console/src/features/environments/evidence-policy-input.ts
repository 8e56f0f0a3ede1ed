import type { EvidenceRequirementInput, EvidenceType } from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';

/** Most requirements that an environment may have. */
export const MAX_REQUIREMENTS = 20;

/** Choice of a requirement that names a predicate type in place of a kind of evidence. */
export const PREDICATE = 'PREDICATE';

/** Reads the requirements of a form, whose fields are `evidencePolicy.<n>.<field>`. */
export function evidencePolicyInput(
  { text, maybe, whole, need }: Pick<FormFields, 'text' | 'maybe' | 'whole' | 'need'>,
  types: readonly EvidenceType[],
): EvidenceRequirementInput[] {
  const requirements: EvidenceRequirementInput[] = [];
  for (let at = 0; at < MAX_REQUIREMENTS && text(`evidencePolicy.${at}.evidence`) !== ''; at++) {
    const name = (field: string) => `evidencePolicy.${at}.${field}`;
    const evidence = types.find((type) => type === text(name('evidence'))) ?? null;
    if (evidence === null) need(name('predicateType'));
    requirements.push({
      evidence,
      predicateType: evidence === null ? text(name('predicateType')) : null,
      signer: maybe(name('signer')),
      maxAgeDays: whole(name('maxAgeDays')),
    });
  }
  return requirements;
}
