import type { Who } from '@landfall/kernel/core/caller';
import type { Ids, TenantId } from '@landfall/kernel/core/ids';
import type { Upstream } from '@landfall/kernel/module';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** Digests of the images that run now on some target of a tenant. */
export type RunningImages = (tenant: TenantId) => Promise<readonly string[]>;

const ROUTE = '/api/v1/release-orchestrator/estate/running-images';

/** Error of a list that could not be read whole. */
class RunningImagesUnknown extends Error {
  override readonly name = 'RunningImagesUnknown';
}

const page = Compile(
  Type.Object({
    items: Type.Array(Type.String()),
    nextCursor: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  }),
);

const TIMEOUT_MS = 10_000;

/** Reader of the platform's own route: a client of the tenant with the one scope that it needs. */
const readerOf = (tenant: TenantId, correlationId: string): Who => ({
  tenant,
  subject: 'scanner-rescore',
  clientId: 'scanner-rescore',
  scopes: new Set(['release:read']),
  kind: 'client',
  correlationId,
  assertedTenants: [],
});

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
};

/**
 * Creates the reader of the images that run, from the orchestrator's estate. It throws RunningImagesUnknown for a list that
 * is not complete: no image may count as stopped because its estate could not be read.
 */
export const createRunningImages =
  ({ upstream, ids }: { readonly upstream: Upstream; readonly ids: Ids }): RunningImages =>
  async (tenant) => {
    const caller = readerOf(tenant, ids.uuid());
    const digests: string[] = [];
    let cursor: string | null = null;
    do {
      const target: string = cursor === null ? ROUTE : `${ROUTE}?cursor=${encodeURIComponent(cursor)}`;
      const { status, body } = await upstream(caller, { target, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (status !== 200) throw new RunningImagesUnknown(`The estate answered ${status}.`);
      const value = parse(body);
      if (!page.Check(value) || (value.nextCursor !== null && value.nextCursor === cursor))
        throw new RunningImagesUnknown('The estate answered in an unknown form.');
      digests.push(...value.items);
      cursor = value.nextCursor;
    } while (cursor !== null);
    return digests;
  };
