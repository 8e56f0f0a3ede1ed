import { hasScope } from './session.ts';

/** Scope that parts about evidence name where the user lacks it. */
export const EVIDENCE_READ = 'export.viewer';

/** Whether the user may read bytes, holds and bundles of evidence. */
export const mayReadEvidence = (): boolean => hasScope(EVIDENCE_READ) || mayExport();

/** Whether the user may read the names of the releases and deployments that evidence is about. */
export const mayNameSubjects = (): boolean => hasScope('orch:read');

/** Whether the user may freeze and export bundles. */
const mayExport = (): boolean => hasScope('export.operator');

/** Whether the user may place holds and postpone the end of a retention. */
export const mayHold = (): boolean => mayExport() || mayDispose();

/** Whether the user may delete artifacts, run the retention and end the holds of others. */
export const mayDispose = (): boolean => hasScope('orch:admin');
