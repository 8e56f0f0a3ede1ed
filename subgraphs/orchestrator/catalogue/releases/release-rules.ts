import { Fault } from '@landfall/kernel/core/fault';
import type { EvidenceType, ReleaseStatus } from '../../shared/enums.ts';

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

/** Components change, and are finalized, in a draft only. */
export const changeRefusal = ({ status }: ReleaseState): Fault | undefined =>
  status === 'draft'
    ? undefined
    : new Fault('REL_ALREADY_FINALIZED', 'The release is finalized; its components no longer change.', { status });

/** Evidence is of bytes, so there is none before the bytes are fixed. */
export const evidenceRefusal = ({ status }: ReleaseState): Fault | undefined =>
  status === 'draft'
    ? new Fault('RES_CONFLICT', 'Evidence belongs to digests. Finalize the release first.', {
        status,
        allowed: ['finalized', 'ready'],
      })
    : undefined;

/** The components that others depend on and that are not there. */
const absent = (components: readonly { readonly name: string; readonly dependsOn: readonly string[] }[]) => {
  const names = new Set(components.map(({ name }) => name));
  return [...new Set(components.flatMap(({ dependsOn }) => dependsOn))].filter((name) => !names.has(name)).toSorted();
};

/** Whether a release may be finalized, as far as we know without asking any registry. */
export const finalizeRefusal = (
  release: ReleaseState & { readonly components: Parameters<typeof absent>[0] },
): Fault | undefined => {
  const refusal = changeRefusal(release);
  if (refusal) return refusal;
  if (release.components.length === 0)
    return new Fault('REL_COMPONENT_MISSING', 'The release has no component.', { missing: [] });
  const missing = absent(release.components);
  return missing.length === 0
    ? undefined
    : new Fault('REL_COMPONENT_MISSING', `Components depend on ${missing.join(', ')}, which the release lacks.`, {
        missing,
      });
};

/** Whether a release may become ready. Evidence that is not there is never taken as there. */
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
  return hold ? onHold(hold) : undefined;
};

const onHold = ({ reason }: { readonly reason: string }): Fault =>
  new Fault('REL_NOT_READY', `The release is on hold: ${reason}`, { hold: reason, missingEvidence: [] });

/** Whether a release in this standing is promoted anywhere at all. */
export const promotableRefusal = ({ status, hold }: ReleaseState): Fault | undefined => {
  if (status === 'deprecated') return new Fault('REL_DEPRECATED', 'The release is deprecated.', { status });
  if (status !== 'ready') return new Fault('REL_NOT_READY', `The release is ${status}, not ready.`, { status });
  return hold ? onHold(hold) : undefined;
};

/** A release is held once it is finalized, ready or not. */
export const holdRefusal = ({ status }: ReleaseState): Fault | undefined =>
  status === 'finalized' || status === 'ready' ? undefined : noMove(status, 'held');

export const clearHoldRefusal = ({ status, hold }: ReleaseState): Fault | undefined => {
  if (status !== 'finalized' && status !== 'ready') return noMove(status, 'released');
  return hold ? undefined : new Fault('RES_CONFLICT', 'The release is not on hold.', { state: status, allowed: [] });
};

export const deprecateRefusal = ({ status }: ReleaseState): Fault | undefined => moveRefusal(status, 'deprecated');
