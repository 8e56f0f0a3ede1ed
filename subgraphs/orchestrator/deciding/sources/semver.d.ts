// Types of the used part of the package `semver`, which has none of its own.
declare module 'semver' {
  export interface SemVer {
    /** Without a leading `v` and without build metadata. */
    readonly version: string;
  }
  export class Range {
    /** @throws TypeError */
    constructor(range: string, options?: { readonly includePrerelease?: boolean });
    test(version: SemVer | string): boolean;
  }
  export function parse(version: string): SemVer | null;
  export function compare(a: SemVer | string, b: SemVer | string): -1 | 0 | 1;
  export function rcompare(a: SemVer | string, b: SemVer | string): -1 | 0 | 1;
  export function inc(version: string, release: 'patch'): string | null;
}
