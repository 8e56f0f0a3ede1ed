import { Fault } from '@landfall/kernel/core/fault';
import type { EvidenceType, ReleaseStatus } from '../../shared/enums.ts';
import type { Product } from '../products/product.ts';
import { missingComponents } from '../products/product-rules.ts';

export interface ReleaseState {
  readonly status: ReleaseStatus;
  readonly hold: { readonly reason: string } | null;
}

/** Statuses that follow each status of a release (design 3.1). */
const moves: Readonly<Record<ReleaseStatus, readonly ReleaseStatus[]>> = {
  draft: ['finalized'],
  finalized: ['ready', 'deprecated'],
  ready: ['deprecated'],
  deprecated: [],
};

const noMove = (from: ReleaseStatus, to: string): Fault =>
  new Fault('REL_INVALID_STATUS_TRANSITION', `A release that is ${from} cannot become ${to}.`, {
    from,
    to,
    allowed: moves[from],
  });

const moveRefusal = (from: ReleaseStatus, to: ReleaseStatus): Fault | undefined =>
  moves[from].includes(to) ? undefined : noMove(from, to);

/** Refuses changes of components outside of a draft. */
export const changeRefusal = ({ status }: ReleaseState): Fault | undefined =>
  status === 'draft'
    ? undefined
    : new Fault('REL_ALREADY_FINALIZED', 'The release is finalized; its components no longer change.', { status });

/** Refuses evidence for a draft: evidence is about fixed digests. */
export const evidenceRefusal = ({ status }: ReleaseState): Fault | undefined =>
  status === 'draft'
    ? new Fault('RES_CONFLICT', 'Evidence belongs to digests. Finalize the release first.', {
        status,
        allowed: ['finalized', 'ready'],
      })
    : undefined;

/** Lists dependencies of components that name no component of the release. */
const absent = (components: readonly { readonly name: string; readonly dependsOn: readonly string[] }[]) => {
  const names = new Set(components.map(({ name }) => name));
  return [...new Set(components.flatMap(({ dependsOn }) => dependsOn))].filter((name) => !names.has(name)).toSorted();
};

/** Refuses to finalize a release, by the checks that need no registry. */
export const finalizeRefusal = (
  release: ReleaseState & { readonly components: Parameters<typeof absent>[0] },
  product?: Pick<Product, 'components'>,
): Fault | undefined => {
  const refusal = changeRefusal(release);
  if (refusal) return refusal;
  if (release.components.length === 0)
    return new Fault('REL_COMPONENT_MISSING', 'The release has no component.', { missing: [] });
  const required = product ? missingComponents(product, release.components).map(({ name }) => name) : [];
  if (required.length > 0)
    return new Fault('REL_COMPONENT_MISSING', `The product requires ${required.join(', ')}, which the release lacks.`, {
      missing: required,
    });
  const missing = absent(release.components);
  return missing.length === 0
    ? undefined
    : new Fault('REL_COMPONENT_MISSING', `Components depend on ${missing.join(', ')}, which the release lacks.`, {
        missing,
      });
};

/** Refuses to make a release ready while required evidence is missing. */
export const readyRefusal = (
  { status, hold }: ReleaseState,
  missingEvidence: readonly EvidenceType[],
): Fault | undefined => {
  const refusal = moveRefusal(status, 'ready');
  if (refusal) return refusal;
  if (missingEvidence.length > 0)
    return new Fault('REL_NOT_READY', `The release lacks evidence: ${missingEvidence.join(', ')}.`, {
      missingEvidence,
    });
  return hold ? heldRelease(hold) : undefined;
};

const heldRelease = ({ reason }: { readonly reason: string }): Fault =>
  new Fault('REL_NOT_READY', `The release is on hold: ${reason}`, { hold: reason, missingEvidence: [] });

/** Refuses to promote a release in this status or on hold, to any environment. */
export const promotableRefusal = ({ status, hold }: ReleaseState): Fault | undefined => {
  if (status === 'deprecated') return new Fault('REL_DEPRECATED', 'The release is deprecated.', { status });
  if (status !== 'ready') return new Fault('REL_NOT_READY', `The release is ${status}, not ready.`, { status });
  return hold ? heldRelease(hold) : undefined;
};

/** Refuses to hold a release that is not finalized. */
export const holdRefusal = ({ status }: ReleaseState): Fault | undefined =>
  status === 'finalized' || status === 'ready' ? undefined : noMove(status, 'held');

export const clearHoldRefusal = ({ status, hold }: ReleaseState): Fault | undefined => {
  if (status !== 'finalized' && status !== 'ready') return noMove(status, 'released');
  return hold ? undefined : new Fault('RES_CONFLICT', 'The release is not on hold.', { state: status, allowed: [] });
};

export const deprecateRefusal = ({ status }: ReleaseState): Fault | undefined => moveRefusal(status, 'deprecated');
