import type { Who } from '../core/caller.ts';
import type { Fault } from '../core/fault.ts';
import type { Id, TenantId } from '../core/ids.ts';
import type { Digest } from '../crypto/digest.ts';
import type { Query, Tx } from '../db/query.ts';
import type { Manifest } from '../oci/manifest.ts';
import type { RegistryAccess } from '../oci/registry-client.ts';

/** File of vulnerability data, and how an operator knows it. */
export interface FeedFile {
  readonly path: string;
  readonly name: string;
}

/** Result of importing feeds. */
export interface FeedChanges {
  /** Advisories that are new. */
  readonly added: number;
  /** Advisories that replaced an earlier version of them. */
  readonly changed: number;
  /** Withdrawn ones among them. */
  readonly withdrawn: number;
  /** Advisories and decision points that were read. */
  readonly records: number;
  readonly catalogues: readonly { readonly file: string; readonly outcome: string }[];
  /** CVEs that are known to be exploited since this import. */
  readonly newlyExploited: readonly string[];
  /** Documents that could not be read. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
  /** Files of other kinds. */
  readonly skipped: number;
}

/** Importer of OSV, KEV, EPSS and SSVC, of the module that matches components against them. */
export interface FeedImporter {
  /**
   * Imports files on a transaction of the role `landfall_system`, so that all of them take effect or none. `note` is told
   * how many documents were read so far.
   */
  importAll(tx: Tx, files: readonly FeedFile[], note?: (documents: number) => void): Promise<FeedChanges>;
  /** Number of documents in a file, an archive or a directory. */
  countDocuments(file: FeedFile): Promise<number>;
  /** First document that an import would refuse; undefined where it takes all. */
  findUnreadable(file: FeedFile): Promise<{ readonly file: string; readonly reason: string } | undefined>;
}

/** Vulnerability of a component that meets the rule of a gate. */
export interface GateCause {
  readonly vulnId: string;
  readonly purl: string;
  /** Whether it is known to be exploited. */
  readonly kev: boolean;
}

/** Result of a gate about an image. One of which no component could be evaluated passes no rule. */
export interface GateResult {
  readonly outcome: 'pass' | 'fail' | 'not_evaluated';
  /** Findings that meet the rule. */
  readonly causes: readonly GateCause[];
}

/** Judgement of matched bills by the tenant's VEX and triage at that time: results by image. */
type GateJudgement = () => Promise<ReadonlyMap<string, GateResult>>;

/** Match of bills by feeds that were read; it needs no connection. */
export type GateMatch = () => Promise<GateJudgement>;

/** Evaluation of a gate over bills that were read. */
interface GateEvaluation {
  /** Images whose bills are too large to be evaluated together with the others. */
  readonly unread: ReadonlySet<string>;
  /** Reads what a transaction sees of the feeds, and asks no other connection. */
  read(feeds: Query): Promise<GateMatch>;
}

/** Gate of scans, the rule of `landfall scan --fail-on`, of the module that has scans. It stores nothing. */
export interface ScanGate {
  /** Reason why a text is no rule; undefined for a rule. */
  problemOf(rule: string): string | undefined;
  /** Reads the bills of the newest scans of some images. One without a completed scan has no result. */
  open(caller: Who, wanted: { readonly rule: string; readonly images: readonly string[] }): Promise<GateEvaluation>;
}

/** Importer of VEX documents, of the module that rules findings by them. */
export interface VexImporter {
  /**
   * Imports the documents of a file, an archive or a directory for a registered source of the tenant, on the transaction of
   * its caller. Documents that cannot be read are counted as rejected.
   * @throws Fault RES_NOT_FOUND for an unknown source
   */
  importAll(
    tx: Tx,
    caller: Who,
    file: FeedFile & { readonly source: string },
  ): Promise<{ readonly records: number; readonly rejected: number }>;
}

/** Image of a release at its fixed digest. */
export interface ReleaseImage {
  /** Name of the component. */
  readonly name: string;
  /** `host/path`. */
  readonly repository: string;
  readonly digest: Digest;
  readonly dependsOn: readonly string[];
}

/** Release whose images are fixed. */
export interface FixedRelease {
  readonly id: Id<'Release'>;
  /** Name of its product. */
  readonly name: string;
  readonly semver: string;
  readonly notes: string | null;
  readonly images: readonly ReleaseImage[];
}

/** Release that a gate may stop, and where it runs. */
export interface GatedRelease {
  readonly id: string;
  /** Name of its product. */
  readonly name: string;
  readonly semver: string;
  /** Names of the environments where it runs. */
  readonly environments: readonly string[];
  /** Images of its components and of their platforms. */
  readonly images: readonly { readonly component: string; readonly digest: string }[];
}

/** Release to be created from a kit, with the manifests of its images as they were verified. */
export interface CarriedRelease extends Omit<FixedRelease, 'id' | 'images'> {
  readonly images: readonly (ReleaseImage & { readonly manifest: Manifest })[];
  /** Identity of the kit, for the audit trail. */
  readonly kit: { readonly kitId: string; readonly digest: string };
}

/** Releases on their way between installations, of the module that has them. */
export interface ReleaseTransfer {
  /** Release of a product's version with its images, unless it is a draft or unknown. */
  find(query: Query, tenant: TenantId, name: string, semver: string): Promise<FixedRelease | undefined>;
  /** Access to the registry of a repository (`host/path`) by an integration of the tenant. */
  openRegistry(caller: Who, repository: string): Promise<RegistryAccess | Fault>;
  /** Releases that gates are about: those that run, and then the newest that are fixed. */
  listGated(query: Query, tenant: TenantId, limit: number): Promise<readonly GatedRelease[]>;
  /** Creates the release as finalized; one with the same images that is there stays, and is not new. */
  create(tx: Tx, caller: Who, release: CarriedRelease): Promise<{ readonly id: string; readonly isNew: boolean }>;
}
