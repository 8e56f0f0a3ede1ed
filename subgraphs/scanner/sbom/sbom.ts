/** Component of an SBOM: one element of CycloneDX `components`, at any depth, or one SPDX package. */
export interface SbomComponent {
  /** CycloneDX `bom-ref` or SPDX `SPDXID`; `#<position>` for one without, or with one that SPDX repeats. */
  readonly ref: string;
  /** CycloneDX `group`; null in SPDX. */
  readonly group: string | null;
  readonly name: string;
  readonly version: string | null;
  /** Package URL as written. */
  readonly purl: string | null;
  /** CycloneDX `type` or SPDX `primaryPackagePurpose`, in the spelling of CycloneDX. */
  readonly type: string | null;
  readonly scope: 'required' | 'optional' | 'excluded' | null;
  /** `<algorithm>:<lower-case hex>`, such as `sha256:…`. */
  readonly hashes: readonly string[];
  /** Whether the subject depends on it without another component between; null if the document does not say. */
  readonly isDirect: boolean | null;
}

/** Software that an SBOM describes. */
export interface SbomSubject {
  readonly name: string;
  readonly version: string | null;
  readonly purl: string | null;
  /** Digests of the component and of the in-toto statement, written like a component's hashes. */
  readonly digests: readonly string[];
}

/** Contents of an SBOM that a scan reads. */
export interface Sbom {
  readonly format: 'cyclonedx' | 'spdx';
  readonly specVersion: string;
  readonly encoding: 'json' | 'xml' | 'tag-value';
  /** CycloneDX `serialNumber` or SPDX `documentNamespace`. */
  readonly serialNumber: string | null;
  readonly subject: SbomSubject | null;
  readonly components: readonly SbomComponent[];
  /** Ref of a component or of the subject to the refs that it depends on or contains. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Bounds of a document. */
export interface SbomLimits {
  /** Size of the document, both as sent and after decompression. */
  readonly bytes: number;
  /** Nested JSON values or XML elements. */
  readonly depth: number;
  readonly components: number;
  /** Relations between components. */
  readonly dependencies: number;
}

/** Limits that hold unless an installation sets others: 256 MB, and as many components as that plausibly has. */
export const DEFAULT_SBOM_LIMITS: SbomLimits = {
  bytes: 268_435_456,
  depth: 256,
  components: 2_000_000,
  dependencies: 5_000_000,
};
