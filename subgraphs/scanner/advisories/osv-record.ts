/** Status changes along the versions of a package (OSV schema, affected[].ranges[].events). */
export const EVENT_KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const;

export interface OsvEvent {
  readonly kind: (typeof EVENT_KINDS)[number];
  readonly version: string;
}

export interface OsvRange {
  readonly type: 'SEMVER' | 'ECOSYSTEM' | 'GIT';
  readonly repo: string | null;
  /** In the order of the record. */
  readonly events: readonly OsvEvent[];
}

/** Vulnerable functions of a package. */
export interface OsvSymbols {
  /** Import path of the Go package; null where the names carry the path themselves (RustSec). */
  readonly importPath: string | null;
  /** Empty where every function of the package counts. */
  readonly names: readonly string[];
}

/** Severity as an advisory publishes it, not yet judged. */
export interface PublishedSeverity {
  readonly cvssVectors: readonly string[];
  /** Words of the vendor, such as `MODERATE`. */
  readonly vendorWords: readonly string[];
}

export interface OsvAffected {
  readonly ecosystem: string | null;
  readonly packageName: string | null;
  readonly purl: string | null;
  readonly ranges: readonly OsvRange[];
  /** Go's `custom_ranges`: release versions of a module whose tags are no versions of Go. */
  readonly customRanges: readonly OsvRange[];
  readonly versions: readonly string[];
  readonly severity: PublishedSeverity;
  readonly symbols: readonly OsvSymbols[];
  /** RustSec's `unmaintained`, `unsound` or `notice`; null for a vulnerability. */
  readonly informational: string | null;
}

/** Advisory in the OSV format, as far as the scanner needs it; plain JSON. Times are RFC 3339 in UTC. */
export interface OsvRecord {
  readonly id: string;
  readonly modified: string | null;
  readonly published: string | null;
  /** Withdrawn records affect nothing. */
  readonly withdrawn: string | null;
  readonly aliases: readonly string[];
  /** Never join an alias group. */
  readonly related: readonly string[];
  readonly upstream: readonly string[];
  readonly summary: string | null;
  readonly details: string | null;
  readonly severity: PublishedSeverity;
  readonly affected: readonly OsvAffected[];
  readonly isMalicious: boolean;
  /** Kind of notice that is no vulnerability, for the whole record. */
  readonly informational: string | null;
}
