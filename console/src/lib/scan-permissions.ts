import { hasScope } from './session.ts';

/** Scope that a page of scans names where the user lacks it; the older name allows the same. */
export const SCANS_READ = 'scanner.scans.read';
const SCANS_WRITE = 'scanner.scans.write';

export const mayReadScans = (): boolean => hasScope(SCANS_READ) || hasScope('scanner:read');

/** Whether the user may replay and verify scores, and request reachability. */
export const mayWriteScans = (): boolean => hasScope(SCANS_WRITE) || hasScope('scanner:write');
