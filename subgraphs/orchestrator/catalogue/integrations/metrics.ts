import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import { openCredentials } from './credentials.ts';
import * as store from './integrations.store.ts';
import type { RemoteSystem } from './integrations.ts';
import { createPrometheus } from './prometheus.ts';

/** PromQL query that every metrics server answers, whatever data it has. */
const ALIVE = 'vector(1)';

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the client of a tenant's metrics servers. Every call uses the network, so never call it in a transaction. */
export const createMetrics = ({ database, secrets, http }: Pick<Deps, 'database' | 'secrets' | 'http'>) => {
  const prometheus = createPrometheus(http);

  const ask = (caller: Who, { url, credentials }: Pick<RemoteSystem, 'url' | 'credentials'>, promql: string) =>
    prometheus.query({ baseUrl: url, credentials, tenant: caller.tenant, correlationId: caller.correlationId }, promql);

  return {
    /** Evaluates a query and returns one value for each series. Faults: INT_*, RES_NOT_FOUND. */
    async query(caller: Who, id: store.IntegrationId, promql: string): Promise<readonly number[] | Fault> {
      const integration = await database.read(caller.tenant, (query) => store.find(query, caller.tenant, id));
      if (integration?.kind !== 'metrics')
        return new Fault('RES_NOT_FOUND', `There is no metrics integration ${id}.`, { id });
      if (integration.disabledAt)
        return new Fault('INT_CONNECTION_FAILED', `The integration ${integration.name} is disabled. Enable it first.`, {
          cause: 'disabled',
        });
      const credentials = openCredentials(secrets, caller.tenant, integration);
      return ask(caller, { url: integration.baseUrl, credentials }, promql);
    },

    /** Probes a metrics server, saved or not, enabled or disabled. */
    async ping(caller: Who, party: RemoteSystem): Promise<Fault | undefined> {
      const answer = await ask(caller, party, ALIVE);
      return answer instanceof Fault ? answer : undefined;
    },
  };
};
