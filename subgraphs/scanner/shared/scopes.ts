/** Scopes of the policy ScansRead; any one suffices (spec 5.6). */
export const SCANS_READ: readonly string[] = ['scanner.scans.read', 'scanner:read'];

/** Scopes of the policy ScansWrite; any one suffices (spec 5.6). */
export const SCANS_WRITE: readonly string[] = ['scanner.scans.write', 'scanner:write'];

/** Scopes that meet a policy of the scanner. */
export const SCANNER_POLICIES: readonly string[] = [...SCANS_READ, ...SCANS_WRITE];

/** Scope of the list of findings over all scans (rulings 31). */
export const FINDINGS_READ: readonly string[] = ['findings:read'];
