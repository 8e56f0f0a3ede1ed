/** Scopes of the policy ScansRead; any one suffices (spec 5.6). */
export const SCANS_READ: readonly string[] = ['scanner.scans.read', 'scanner:read'];
