import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Credentials } from '@landfall/kernel/oci/challenge';
import { createImageLabels } from '@landfall/kernel/oci/image-label-reader';
import type { ImageLabels } from '@landfall/kernel/oci/image-labels';
import type { Manifest } from '@landfall/kernel/oci/manifest';
import { createReferrers } from '@landfall/kernel/oci/referrers';
import { createRegistryClient, type RegistryAccess } from '@landfall/kernel/oci/registry-client';
import { originOf, parseRepository } from '@landfall/kernel/oci/repository';
import type { TagList } from '@landfall/kernel/oci/tag-list';
import { openCredentials, type Credentials as SavedCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';
import type { RemoteSystem } from './integrations.ts';

/** Deadline of reading an image's labels: finalize waits for them, and nothing depends on them. */
const LABELS_DEADLINE_MS = 5_000;

/** User name and password for a registry, without credentials that are only a bearer token: registries take none. */
const inPairs = (known: SavedCredentials | undefined): Credentials | undefined =>
  known?.username === undefined ? undefined : { username: known.username, password: known.password };

/** Repository with the access of a tenant. Each call uses the network. */
export interface OpenRepository {
  /** Tags; undefined if the list with this entity tag still holds. */
  tags(etag?: string): Promise<TagList | Fault | undefined>;
  /** Digest that the registry says a tag has, unverified; undefined where it does not say. */
  digest(tag: string): Promise<Digest | Fault | undefined>;
  /** Manifest of a tag or digest, verified. */
  manifest(reference: string): Promise<Manifest | Fault>;
}

/** Fault of a request to a registry that is disabled. */
const disabled = (name: string, host: string): Fault =>
  new Fault('INT_CONNECTION_FAILED', `The integration ${name} of ${host} is disabled. Enable it first.`, {
    host,
    cause: 'disabled',
  });

/** Creates the client of a tenant's registries. A host without an integration is asked without credentials. */
export const createRegistries = ({ database, secrets, http }: Pick<Deps, 'database' | 'secrets' | 'http'>) => {
  const client = createRegistryClient(http);
  const referrers = createReferrers(client);
  const labels = createImageLabels(client);

  const open = (tenant: TenantId, integration: store.Integration): Credentials | undefined => {
    return inPairs(openCredentials(secrets, tenant, integration));
  };

  const find = async (caller: Who, host: string): Promise<RegistryAccess | Fault> => {
    const all = await database.read(caller.tenant, (query) => store.listRegistries(query, caller.tenant));
    const integration = all.find((each) => each.host === host);
    if (integration?.disabledAt) return disabled(integration.name, host);
    return {
      host,
      origin: integration?.baseUrl ?? originOf(host),
      credentials: integration && open(caller.tenant, integration),
      tenant: caller.tenant,
      correlationId: caller.correlationId,
      vouched: new Set(all.map(({ baseUrl }) => baseUrl)),
    };
  };

  return {
    /** Access to the registry of a repository (`host/path`), by the integration of its host. */
    access: (caller: Who, repository: string): Promise<RegistryAccess | Fault> =>
      find(caller, parseRepository(repository).host),

    /** Fetches and verifies the manifest of `repository` (`host/path`) at a tag or digest. Uses the network. */
    async manifest(
      caller: Who,
      repository: string,
      reference: string,
      signal?: AbortSignal,
    ): Promise<Manifest | Fault> {
      const { host, path } = parseRepository(repository);
      const access = await find(caller, host);
      return access instanceof Fault
        ? access
        : client.manifest({ ...access, ...(signal && { signal }) }, path, reference);
    },

    /** Opens a repository (`host/path`) for several requests, which use the network. */
    async repository(caller: Who, repository: string, signal: AbortSignal): Promise<OpenRepository | Fault> {
      const { host, path } = parseRepository(repository);
      const found = await find(caller, host);
      if (found instanceof Fault) return found;
      const access = { ...found, signal };
      return {
        tags: (etag) => client.tags(access, path, etag),
        digest: (tag) => client.digest(access, path, tag),
        manifest: (reference) => client.manifest(access, path, reference),
      };
    },

    /** Reads the labels of an image of `repository`; those that cannot be read within the time are null. */
    async labels(caller: Who, repository: string, manifest: Manifest): Promise<ImageLabels> {
      const { host, path } = parseRepository(repository);
      const access = await find(caller, host);
      if (access instanceof Fault) return manifest.labels;
      return labels.read({ ...access, signal: AbortSignal.timeout(LABELS_DEADLINE_MS) }, path, manifest);
    },

    /**
     * Fetches the signed statements that are attached to these images of `repository` (`host/path`). Uses the network.
     */
    async attachments(caller: Who, repository: string, subjects: readonly Digest[], signal?: AbortSignal) {
      const { host, path } = parseRepository(repository);
      const access = await find(caller, host);
      return access instanceof Fault
        ? access
        : referrers.read({ ...access, ...(signal && { signal }) }, path, subjects);
    },

    /** Probes a registry, saved or not. */
    async ping(caller: Who, { url, host, credentials }: RemoteSystem): Promise<Fault | undefined> {
      const all = await database.read(caller.tenant, (query) => store.listRegistries(query, caller.tenant));
      return client.ping({
        host,
        origin: url,
        credentials: inPairs(credentials),
        tenant: caller.tenant,
        correlationId: caller.correlationId,
        vouched: new Set([url, ...all.map(({ baseUrl }) => baseUrl)]),
      });
    },

    /** Opens the credentials for these repositories, by host. Only for the agent that pulls from them. */
    async credentials(query: Query, tenant: TenantId, repositories: readonly string[]) {
      const hosts = [...new Set(repositories.map((repository) => parseRepository(repository).host))];
      const found = await store.listRegistriesByHosts(query, tenant, hosts);
      return new Map(
        found.flatMap((integration): [string, Credentials][] => {
          if (integration.disabledAt) return [];
          const known = open(tenant, integration);
          return known ? [[integration.host, known]] : [];
        }),
      );
    },
  };
};

export type Registries = ReturnType<typeof createRegistries>;

/** Codes of failed requests to a registry. */
export const REGISTRY_RAISES = [
  'INT_CONNECTION_FAILED',
  'INT_AUTH_FAILED',
  'INT_RATE_LIMITED',
  'INT_TIMEOUT',
  'INT_INVALID_RESPONSE',
  'INT_RESOURCE_NOT_FOUND',
] as const;
