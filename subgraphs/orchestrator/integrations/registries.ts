import type { Who } from '@landfall/kernel/caller';
import type { Query } from '@landfall/kernel/db/query';
import type { Digest } from '@landfall/kernel/digest';
import type { Fault } from '@landfall/kernel/fault';
import type { TenantId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import type { Attachments } from '../registry-client/attachment.ts';
import type { Manifest } from '../registry-client/manifest.ts';
import { createReferrers } from '../registry-client/referrers.ts';
import { type Credentials, createRegistryClient, type RegistryAccess } from '../registry-client/registry.ts';
import { originOf, parseRepository } from '../registry-client/repository.ts';
import { openCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';

/** The registries of a tenant, found by the host of a repository; one without an integration is asked as a stranger. */
export const createRegistries = ({ database, secrets, http }: Pick<Deps, 'database' | 'secrets' | 'http'>) => {
  const client = createRegistryClient(http);
  const referrers = createReferrers(client);

  const open = (tenant: TenantId, integration: store.Integration): Credentials | undefined => {
    const known = openCredentials(secrets, tenant, integration);
    return known?.username === undefined ? undefined : { username: known.username, password: known.password };
  };

  const find = async (who: Who, host: string): Promise<RegistryAccess> => {
    const all = await database.read(who.tenant, (query) => store.listRegistries(query, who.tenant));
    const integration = all.find((each) => each.host === host);
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
      return client.manifest({ ...(await find(who, host)), ...(signal && { signal }) }, path, reference);
    },

    /** The signed statements that are attached to these images of `repository` (`host/path`). Asks over the network. */
    async attachments(
      who: Who,
      repository: string,
      subjects: readonly Digest[],
      signal?: AbortSignal,
    ): Promise<Attachments | Fault> {
      const { host, path } = parseRepository(repository);
      return referrers.read({ ...(await find(who, host)), ...(signal && { signal }) }, path, subjects);
    },

    ping: async (who: Who, { host }: store.Integration): Promise<Fault | undefined> =>
      client.ping(await find(who, host)),

    /** The credentials for these repositories by host: for the agent that pulls from them, and for nobody else. */
    async credentials(
      query: Query,
      tenant: TenantId,
      repositories: readonly string[],
    ): Promise<ReadonlyMap<string, Credentials>> {
      const hosts = [...new Set(repositories.map((repository) => parseRepository(repository).host))];
      const found = await store.listRegistriesByHosts(query, tenant, hosts);
      return new Map(
        found.flatMap((integration): [string, Credentials][] => {
          const known = open(tenant, integration);
          return known ? [[integration.host, known]] : [];
        }),
      );
    },
  };
};

export type Registries = ReturnType<typeof createRegistries>;
