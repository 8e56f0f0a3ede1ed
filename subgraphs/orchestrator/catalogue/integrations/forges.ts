import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { HttpResponse } from '@landfall/kernel/http/client';
import { remoteFault } from '@landfall/kernel/http/remote-failure';
import type { Deps } from '@landfall/kernel/module';
import type { Forge } from '../../shared/enums.ts';
import { openCredentials } from './credentials.ts';
import { type CommitList, errorIn, forgeApis } from './forge-api.ts';
import * as store from './integrations.store.ts';
import type { RemoteSystem } from './integrations.ts';
import { remoteMessage } from './remote-message.ts';

/** Deadline of one whole request, in milliseconds. */
const TIMEOUT_MS = 8_000;
/** Comparisons carry the changed files too, which cannot be left out. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Saved forge: an integration of the kind `scm`. */
export interface SavedForge {
  readonly id: store.IntegrationId;
  readonly name: string;
  readonly host: string;
  readonly baseUrl: string;
  readonly provider: Forge;
  readonly disabledAt: Date | null;
  readonly credentials: Buffer | null;
}

/** Lists the forges of a tenant. */
export const listForges = async (...[query, tenant]: Parameters<typeof store.listForges>): Promise<SavedForge[]> =>
  (await store.listForges(query, tenant)).flatMap(({ provider, ...forge }) =>
    provider === null ? [] : [{ ...forge, provider }],
  );

/** A rate limit of GitHub is a 403 with nothing remaining. */
const isLimited = ({ status, headers }: HttpResponse): boolean =>
  status === 429 || (status === 403 && headers['x-ratelimit-remaining'] === '0');

const refused = (answer: HttpResponse, host: string, token: string | undefined): Fault => {
  const { status, headers, body } = answer;
  const label = remoteMessage([errorIn(body)], token === undefined ? [] : [token]);
  const details = { host, status };
  if (isLimited(answer))
    return new Fault('INT_RATE_LIMITED', `${host} limits our rate${label}`, {
      ...details,
      retryAfter: headers['retry-after'] ?? null,
    });
  if (status === 401 || status === 403)
    return new Fault('INT_AUTH_FAILED', `${host} refuses our credentials (${status})${label}`, details);
  if (status === 404)
    return new Fault('INT_RESOURCE_NOT_FOUND', `${host} has no such repository or revision${label}`, details);
  if (status >= 500) return new Fault('INT_CONNECTION_FAILED', `${host} answered ${status}${label}`, details);
  return new Fault('INT_INVALID_RESPONSE', `${host} answered ${status}${label}`, details);
};

/** Creates the client of a tenant's forges: GitHub, GitLab and Gitea. Every call uses the network. Returns Faults INT_*. */
export const createForges = ({ secrets, http }: Pick<Deps, 'secrets' | 'http'>) => {
  const get = async (caller: Who, provider: Forge, { url, host, credentials }: RemoteSystem, path: string) => {
    const { base, authorization, accept } = forgeApis[provider];
    const root = base(url);
    const token = credentials?.password;
    const answer = await http.send({
      url: `${root}${path}`,
      headers: { accept, ...(token !== undefined && authorization(token)) },
      tenant: caller.tenant,
      vouched: new Set([new URL(root).origin]),
      correlationId: caller.correlationId,
      timeouts: { total: TIMEOUT_MS },
      maxBytes: MAX_BYTES,
      // A repository that was renamed answers with its new address.
      redirects: 2,
    });
    if (answer.kind !== 'response') return remoteFault(answer, host, { host });
    return answer.status === 200 ? answer : refused(answer, host, token);
  };

  return {
    /** Reads the commits of `to` that `from` has not, 250 at most. Faults: INT_*. */
    async commits(
      caller: Who,
      forge: SavedForge,
      repository: string,
      from: string,
      to: string,
    ): Promise<CommitList | Fault> {
      const { provider, host, baseUrl: url, name } = forge;
      if (forge.disabledAt)
        return new Fault('INT_CONNECTION_FAILED', `The integration ${name} is disabled. Enable it first.`, {
          cause: 'disabled',
        });
      const credentials = openCredentials(secrets, caller.tenant, forge);
      const { comparePath, readCommits } = forgeApis[provider];
      const answer = await get(
        caller,
        provider,
        { url, host, provider, credentials },
        comparePath(repository, from, to),
      );
      if (answer instanceof Fault) return answer;
      return (
        readCommits(answer.body) ??
        new Fault('INT_INVALID_RESPONSE', `${host}: its answer is no comparison of ${provider}’s interface.`, { host })
      );
    },

    /** Probes a forge, saved or not. */
    async ping(caller: Who, party: RemoteSystem): Promise<Fault | undefined> {
      const { provider } = party;
      if (provider === null) throw new TypeError('a forge without a provider');
      const answer = await get(caller, provider, party, forgeApis[provider].pingPath);
      return answer instanceof Fault ? answer : undefined;
    },
  };
};

export type Forges = ReturnType<typeof createForges>;
