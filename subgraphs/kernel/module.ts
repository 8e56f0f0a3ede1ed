import type { GraphQLSchema } from 'graphql';
import type { Caller } from './core/caller.ts';
import type { Clock } from './core/clock.ts';
import type { Id, Ids, TenantId } from './core/ids.ts';
import type { Worker } from './core/worker.ts';
import type { Secrets } from './crypto/secrets.ts';
import type { Signer, SigningKeys, VerificationKey } from './crypto/signing/signer.ts';
import type { Database } from './db/database.ts';
import type { Query } from './db/query.ts';
import type { DemoChapter } from './demo/chapter.ts';
import type { DestinationDirectory } from './egress/configured.ts';
import type { OwnServices } from './egress/judgement.ts';
import type { Hints } from './events/hint.ts';
import type { SealLog } from './events/sealer.ts';
import type { HttpClient } from './http/client.ts';
import type { KeySet } from './identity/keys.ts';
import type { Operation, OperationMaker } from './operation/operation.ts';
import type { Seed, SeedContext, SeedSpec, TenantData } from './operation/seed.ts';
import type { Check } from './operator/check.ts';
import type { ListedCommand } from './operator/command.ts';
import type { FeedImporter, ReleaseTransfer, ScanGate, VexImporter } from './operator/transfers.ts';
import type { Route } from './routes/route.ts';
import type { Connect } from './system/connect.ts';
import type { ResolveTxt } from './system/dns.ts';
import type { Egress } from './system/egress.ts';
import type { Log } from './system/log.ts';
import type { Platform } from './system/platform.ts';
import { type Settings, type SettingsTable, settingsOf } from './system/settings.ts';
import type { Meter } from './system/telemetry.ts';
import type { Tracer } from './system/tracing.ts';

/** Services of the process that every module's factory receives. */
export interface Deps {
  readonly database: Database;
  readonly operation: OperationMaker;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly http: HttpClient;
  /** Policy of connections that are not HTTP. */
  readonly egress: Egress;
  readonly hints: Hints;
  readonly log: Log;
}

/**
 * Listener with mutual TLS for programs that are neither browsers nor API clients. It must request certificates and
 * refuse none by itself.
 */
export interface AgentListener {
  tls(): Promise<{ readonly key: string; readonly cert: string; readonly ca: string }>;
  readonly routes: readonly Route[];
  /** Answers all waiting long polls, so that a stopping listener need not wait for them. */
  endPolls(): void;
}

/** Running module: its operations, its subgraph and its background work. */
export interface Module {
  /** Name in schema/subgraphs.json. */
  readonly name: string;
  /** Every operation, for the tenant matrix, GraphQL, REST and the docs. */
  readonly operations: readonly Operation<unknown>[];
  readonly schema: GraphQLSchema;
  /** The resolvers' context of one request: the caller, the services, fresh loaders. */
  context(caller: Caller): object;
  readonly workers: readonly Worker[];
  /** Workers of every process that runs the module, with or without the worker role: they keep caches current. */
  readonly companions?: readonly Worker[];
  /** Checks of what the module needs to serve, by the names that the readiness endpoint lists as missing. */
  readonly readiness?: Readonly<Record<string, () => Promise<boolean>>>;
  /** Warnings for the operator of a module that serves; shown by the readiness endpoint. */
  notes?(): Promise<readonly string[]>;
  /** The agents' listener, in the module that has agents. */
  readonly agentListener?: AgentListener;
  /** Log that records the seals of the audit trail, in the module that has one. */
  readonly sealLog?: SealLog;
}

/** GET request to a route of this platform, in whichever process its module runs. */
interface UpstreamRequest {
  /** Path and query. */
  readonly target: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamAnswer {
  /** 404 too where no module of this installation has the route. */
  readonly status: number;
  readonly body: Uint8Array;
}

/** Sends the request as `caller` and returns the route's answer. Throws whatever prevents an answer. */
export type Upstream = (caller: Caller, request: UpstreamRequest) => Promise<UpstreamAnswer>;

/** Chunk of the documentation, the REST description or a doctor check, ready to be indexed. */
export interface KnowledgeChunk {
  readonly domain: 'knowledge';
  readonly source: 'docs' | 'openapi' | 'doctor';
  readonly documentKey: string;
  /** From 0. */
  readonly part: number;
  readonly entityType: 'document' | 'operation' | 'check';
  readonly entityKey: string;
  readonly title: string;
  /** Plain text or Markdown. */
  readonly body: string;
  /** Exact names; the first is the one to show. */
  readonly identifiers: readonly string[];
  readonly packages: readonly string[];
  readonly uri?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The installation's own documents, API operations and health checks. */
export interface Knowledge {
  readonly documents: readonly KnowledgeChunk[];
  /** Number of OpenAPI documents that the operations come from. */
  readonly apiSpecCount: number;
  readonly operations: readonly KnowledgeChunk[];
  readonly checks: readonly KnowledgeChunk[];
}

/** Products of a tenant and their images. It reads on the connection of its caller. */
export interface ProductDirectory {
  exists(query: Query, tenant: TenantId, productId: Id<'Product'>): Promise<boolean>;
  /** Products whose releases have one of the images; a draft is no release yet. */
  productsOfImages(
    query: Query,
    tenant: TenantId,
    digests: readonly string[],
  ): Promise<readonly { readonly digest: string; readonly productId: Id<'Product'> }[]>;
}

/** Image of a release's component, or of one of its platforms. */
export interface ReleaseImage {
  readonly releaseId: string;
  readonly component: string;
  readonly digest: string;
}

/** Requirement of an environment: evidence of a kind, or a statement with a type of predicate. */
export interface EvidenceRequirement {
  readonly evidence: 'sbom' | 'vex' | 'score_proof' | 'provenance' | null;
  readonly predicateType: string | null;
  /** Name of the trusted signer; null for anyone. */
  readonly signer: string | null;
  readonly maxAgeDays: number | null;
}

/** Images of releases, for modules that keep evidence about them. It reads on the connection of its caller. */
export interface ReleaseDirectory {
  /** Digests of the images of a release, or of the one that a deployment deployed; undefined if there is none. */
  imagesOf(
    query: Query,
    tenant: TenantId,
    subject: { readonly kind: 'release' | 'deployment'; readonly id: string },
  ): Promise<readonly string[] | undefined>;
  /** Images of some releases and of their platforms, by component. */
  listImages(query: Query, tenant: TenantId, releaseIds: readonly string[]): Promise<readonly ReleaseImage[]>;
  /** Evidence that an environment requires of a release; undefined if there is none. */
  requirementsOf(
    query: Query,
    tenant: TenantId,
    environmentId: string,
  ): Promise<readonly EvidenceRequirement[] | undefined>;
}

/** Signature of the platform for documents that outsiders verify by its published trust document. */
export interface DocumentSeal {
  /** Current key of attestations. */
  signer(): Promise<Signer>;
  /** Timestamp (RFC 3161) of bytes by the configured authority, or the platform's own. @throws if none counts */
  stamp(bytes: Uint8Array): Promise<{ readonly token: Uint8Array; readonly at: Date }>;
  /** Published trust document. @throws Fault SYS_SERVICE_UNAVAILABLE before the first key */
  trust(): Promise<string>;
  /** Every key of every purpose that ever signed. */
  keys(): Promise<readonly VerificationKey[]>;
}

/** Interface that ends. */
export interface Deprecation {
  /** Method and path: `GET /api/v1/notify/deliveries`. */
  readonly api: string;
  readonly sunset: Date;
  /** Path of the interface to use instead. */
  readonly successor?: string | undefined;
}

/** Person of a tenant who can sign in. */
export interface ActivePerson {
  readonly id: string;
  readonly name: string;
}

/** People of a tenant, for modules that tell them something. It reads on the connection of its caller. */
export interface PeopleDirectory {
  /** Active people among some ids, or with one of the roles, or with a role that has the scope; at most `limit`. */
  listActive(
    query: Query,
    tenant: TenantId,
    wanted: {
      readonly ids?: readonly string[];
      readonly roles?: readonly string[];
      readonly scope?: string;
      readonly limit: number;
    },
  ): Promise<readonly ActivePerson[]>;
  /** Active people among some ids. The role `landfall_system` may ask too. */
  listActiveByIds(query: Query, tenant: TenantId, ids: readonly string[]): Promise<readonly ActivePerson[]>;
  /** Tenants with people. Role `landfall_system`. */
  listTenants(query: Query): Promise<readonly TenantId[]>;
  /** Roles that people can have. */
  readonly roles: readonly string[];
}

/** Approvals of promotions, for modules that tell people of them. It reads on the connection of its caller. */
export interface ApproverDirectory {
  /** Scope that approvers need. */
  readonly scope: string;
  /** People among some with the scope who may approve a promotion now; none once it is decided. */
  filterApprovers(
    query: Query,
    tenant: TenantId,
    promotionId: string,
    ids: readonly string[],
  ): Promise<readonly string[]>;
}

/** Document of a module that is evidence of a tenant. */
export interface EvidenceDocument {
  readonly bomRef: string;
  readonly serialNumber: string;
  readonly content: Uint8Array;
  /** Things of the platform that it is evidence of. */
  readonly references: readonly { readonly kind: 'Release' | 'Deployment' | 'Scan'; readonly id: string }[];
  /** Digests of images that it is about, whether its content names them or not. */
  readonly images?: readonly string[];
  /** Deployment whose evidence is whole with this document: its bundle is made. */
  readonly completes?: { readonly kind: 'deployment'; readonly id: string };
}

/**
 * Reads the document that an event of the platform announces; undefined where there is none. It reads on the connection
 * of its caller.
 */
export type EvidenceReader = (
  query: Query,
  tenant: TenantId,
  event: { readonly entityId: string; readonly data: Readonly<Record<string, unknown>> },
) => Promise<EvidenceDocument | undefined>;

/** Readers of evidence by the type of the event that announces it: `scan.complete`. */
export type EvidenceReaders = ReadonlyMap<string, EvidenceReader>;
/** Dates of content that grows old, the oldest of its sources, null without content. It reads on the caller's connection. */
export type ContentDates = (
  query: Query,
  tenant: TenantId,
) => Promise<{ readonly advisories: Date | null; readonly vex: Date | null; readonly policy: Date | null }>;

/** Ports through which a module gets data from other modules. */
export interface ModulePorts {
  /** Undefined where no metrics are collected. */
  readonly meter?: Meter | undefined;
  /** Undefined where no spans are exported. */
  readonly tracer?: Tracer | undefined;
  /** Keys that sign statements, log checkpoints and scan manifests. */
  readonly signingKeys: SigningKeys;
  /** Public keys of this platform's authority. */
  readonly authorityKeys: KeySet;
  readonly resolveTxt: ResolveTxt;
  /** Connections of protocols that are not HTTP, such as SMTP. */
  readonly connect: Connect;
  readonly upstream: Upstream;
  readonly products: ProductDirectory;
  readonly people: PeopleDirectory;
  readonly approvers: ApproverDirectory;
  readonly releases: ReleaseDirectory;
  /** Creates the seal, from the settings of attestations. */
  readonly documentSeal: () => DocumentSeal;
  readonly feeds: FeedImporter;
  readonly vex: VexImporter;
  readonly scanGate: ScanGate;
  readonly releaseTransfer: ReleaseTransfer;
  readonly evidence: EvidenceReaders;
  readonly destinations: DestinationDirectory;
  readonly ownServices: OwnServices;
  readonly contentDates: ContentDates;
  readonly knowledge: () => Promise<Knowledge>;
  /** Routes of the product that end. */
  readonly deprecations: () => readonly Deprecation[];
}

interface ModuleSpec<T extends SettingsTable, M extends Module> {
  /** Name in schema/subgraphs.json. */
  readonly name: string;
  readonly settings: T;
  /** Prefix of environment variables that this module alone reads: an unknown one refuses the start. */
  readonly variablePrefix?: string;
  readonly migrations: string;
  /** Public listener that a process with this module opens beside the web listener. */
  readonly listener?: 'authority' | 'agents';
  /** Scopes that every caller meets while the authority is disabled (spec 5.6); none unless given. */
  readonly openPolicies?: readonly string[];
  /** Commands of `landfall` on the module's data. */
  readonly commands?: readonly ListedCommand[];
  /** Checks of `landfall doctor` on the module's data; loaded by that command alone. */
  checks?(): Promise<readonly Check[]>;
  /** Its chapter of the demo; loaded where the demo is. */
  demo?(): Promise<DemoChapter>;
  /** Data for the access matrices; loaded by tests alone. */
  seed?(): Promise<Seed<M>>;
  /** Checks the settings and returns the factory. Throws an Error that names a setting and its problem. */
  configure(settings: Settings<T>, platform: Platform): (deps: Deps, ports: ModulePorts) => M;
}

/** Seed that finds its own module. */
interface ModuleSeed extends SeedSpec {
  create(modules: readonly Module[], context: SeedContext): Promise<TenantData>;
}

/** Description of a module, as the product reads it before the module runs. */
export interface ModuleDescriptor<M extends Module = Module>
  extends Omit<ModuleSpec<SettingsTable, M>, 'configure' | 'seed'> {
  /** Seed of the module, if it has one. */
  seed(): Promise<readonly ModuleSeed[]>;
  /** @param settings values of at least the module's own table */
  configure(settings: object, platform: Platform): (deps: Deps, ports: ModulePorts) => M;
  /** The module that this descriptor made, if it is among these. */
  find(modules: readonly Module[]): M | undefined;
  /** Returns the module. Throws TypeError if it is missing. */
  get(modules: readonly Module[]): M;
}

/** Defines a module descriptor, which finds its own module among all modules of a process. */
export const defineModule = <const T extends SettingsTable, M extends Module>(
  spec: ModuleSpec<T, M>,
): ModuleDescriptor<M> => {
  const created = new WeakMap<Module, M>();
  const find = (modules: readonly Module[]): M | undefined =>
    modules.map((module) => created.get(module)).find((module) => module !== undefined);
  const get = (modules: readonly Module[]): M => {
    const module = find(modules);
    if (!module) throw new TypeError(`${spec.name} does not run in this process.`);
    return module;
  };
  const { seed: loadSeed, ...described } = spec;
  const seed = async (): Promise<readonly ModuleSeed[]> => {
    const input = await loadSeed?.();
    return input ? [{ ...input, create: (modules, context) => input.create(get(modules), context) }] : [];
  };
  return {
    ...described,
    seed,
    configure(settings, platform) {
      const create = spec.configure(settingsOf(spec.settings, settings), platform);
      return (deps, ports) => {
        const module = create(deps, ports);
        created.set(module, module);
        return module;
      };
    },
    find,
    get,
  };
};
