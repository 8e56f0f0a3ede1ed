import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { id, json, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { ClientId } from '../clients/clients.store.ts';

/** What a `request_uri` of ours begins with (RFC 9126 2.2); the rest is a secret, kept as its hash. */
export const URN = 'urn:ietf:params:oauth:request_uri:';

const parameters = Type.Object({
  form: Type.Record(Type.String(), Type.String()),
  resources: Type.Array(Type.String()),
});

const requests = table('authority.pushed_requests', { clientId: id('Client'), parameters: json(parameters) });

export interface NewPushedRequest {
  readonly hash: Buffer;
  readonly clientId: ClientId;
  readonly parameters: { readonly form: Readonly<Record<string, string>>; readonly resources: readonly string[] };
  readonly aliveMs: number;
}

export const insert = (tx: Tx, tenant: TenantId, request: NewPushedRequest): Promise<number> =>
  tx.run(sql`/* authority.pushed_requests.insert */
    insert into authority.pushed_requests (tenant, hash, client_id, parameters, expires_at)
    values (${tenant}, ${request.hash}, ${request.clientId}, ${jsonb(request.parameters)}::jsonb,
      kernel.now() + make_interval(secs => ${request.aliveMs / 1000}))`);

/** How long the browser that opened a request in time may take over it, pages reloaded and all. */
const OPEN_FOR = sql`interval '15 minutes'`;

/**
 * The request, kept for the first browser that opens it: one statement, so that of several at once one is first.
 * Role `landfall_system`: a `request_uri` does not name its tenant.
 */
export const claim = (tx: Tx, hash: Buffer, browser: Buffer) =>
  tx.find(
    requests,
    sql`/* authority.pushed_requests.claim */
    update authority.pushed_requests set
      browser = ${browser},
      expires_at = case when browser is null then kernel.now() + ${OPEN_FOR} else expires_at end
    where hash = ${hash} and consumed_at is null and expires_at > kernel.now()
      and (browser is null or browser = ${browser})
    returning ${requests.columns}`,
  );

/** Spends a request on its one answer. Role `landfall_system`. */
export const consume = (tx: Tx, hash: Buffer): Promise<number> =>
  tx.run(sql`/* authority.pushed_requests.consume */
    update authority.pushed_requests set consumed_at = kernel.now() where hash = ${hash} and consumed_at is null`);

/** Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* authority.pushed_requests.prune */
    delete from authority.pushed_requests where expires_at < kernel.now()`);
