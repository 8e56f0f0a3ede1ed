import { hasScope } from './session.ts';

/** Scope that a page of the air gap names where the user lacks it. */
export const AIRGAP_READ = 'airgap:status:read';

export const mayReadAirGap = (): boolean => hasScope(AIRGAP_READ);

/** Whether the user may seal, set the policy and time anchors, and import kits. */
export const maySeal = (): boolean => hasScope('airgap:seal');
