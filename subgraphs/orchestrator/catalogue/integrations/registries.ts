import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Credentials } from '@landfall/kernel/oci/challenge';
import type { Manifest } from '@landfall/kernel/oci/manifest';
import { createReferrers } from '@landfall/kernel/oci/referrers';
import { createRegistryClient, type RegistryAccess } from '@landfall/kernel/oci/registry-client';
import { originOf, parseRepository } from '@landfall/kernel/oci/repository';
import { openCredentials, type Credentials as SavedCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';
import type { Party } from './integrations.ts';

/** A registry takes no bearer token of an administrator's. */
const inPairs = (known: SavedCredentials | undefined): Credentials | undefined =>
  known?.username === undefined ? undefined : { username: known.username, password: known.password };

/** The answer in the place of a remote party that nobody asks at the moment. */
const disabled = (name: string, host: string): Fault =>
  new Fault('INT_CONNECTION_FAILED', `The integration ${name} of ${host} is disabled. Enable it first.`, {
    host,
    cause: 'disabled',
  });

/** The registries of a tenant, found by the host of a repository; one without an integration is asked as a stranger. */
export const createRegistries = ({ database, secrets, http }: Pick<Deps, 'database' | 'secrets' | 'http'>) => {
  const client = createRegistryClient(http);
  const referrers = createReferrers(client);

  const open = (tenant: TenantId, integration: store.Integration): Credentials | undefined => {
    return inPairs(openCredentials(secrets, tenant, integration));
  };

  const find = async (who: Who, host: string): Promise<RegistryAccess | Fault> => {
    const all = await database.read(who.tenant, (query) => store.listRegistries(query, who.tenant));
    const integration = all.find((each) => each.host === host);
    if (integration?.disabledAt) return disabled(integration.name, host);
    return {
      host,
      origin: integration?.baseUrl ?? originOf(host),
      credentials: integration && open(who.tenant, integration),
      tenant: who.tenant,
      correlationId: who.correlationId,
      vouched: new Set(all.map(({ baseUrl }) => baseUrl)),
    };
  };

  return {
    /** The verified manifest of `repository` (`host/path`) at a tag or digest. Asks over the network. */
    async manifest(who: Who, repository: string, reference: string, signal?: AbortSignal): Promise<Manifest | Fault> {
      const { host, path } = parseRepository(repository);
      const access = await find(who, host);
      return access instanceof Fault
        ? access
        : client.manifest({ ...access, ...(signal && { signal }) }, path, reference);
    },

    /** The signed statements that are attached to these images of `repository` (`host/path`). Asks over the network. */
    async attachments(who: Who, repository: string, subjects: readonly Digest[], signal?: AbortSignal) {
      const { host, path } = parseRepository(repository);
      const access = await find(who, host);
      return access instanceof Fault
        ? access
        : referrers.read({ ...access, ...(signal && { signal }) }, path, subjects);
    },

    /** Asks whether a registry is there, saved or not. */
    async ping(who: Who, { url, host, credentials }: Party): Promise<Fault | undefined> {
      const all = await database.read(who.tenant, (query) => store.listRegistries(query, who.tenant));
      return client.ping({
        host,
        origin: url,
        credentials: inPairs(credentials),
        tenant: who.tenant,
        correlationId: who.correlationId,
        vouched: new Set([url, ...all.map(({ baseUrl }) => baseUrl)]),
      });
    },

    /** The credentials for these repositories by host: for the agent that pulls from them, and for nobody else. */
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

/** Codes of a registry that does not answer as it should. */
export const REGISTRY_RAISES = [
  'INT_CONNECTION_FAILED',
  'INT_AUTH_FAILED',
  'INT_RATE_LIMITED',
  'INT_TIMEOUT',
  'INT_INVALID_RESPONSE',
  'INT_RESOURCE_NOT_FOUND',
] as const;
