import { isId } from '@landfall/kernel/core/ids';
import { boolean, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { isNotDeniedAs } from '@landfall/kernel/identity/denylist';
import type { AccessToken } from './access-tokens.ts';

const statuses = table('authority.token status', { isValid: boolean, username: text.nullable() });

export type TokenStatus = RowOf<typeof statuses>;

type Names = Pick<AccessToken, 'jti' | 'tenant' | 'clientId' | 'subject'>;

const NAMES = { jti: sql`t.jti`, tenant: sql`t.tenant`, clientId: sql`t.client_id`, subject: sql`t.subject` };

/** Reads the status of tokens, in their order. Role `landfall_system`. */
export const list = (query: Query, tokens: readonly Names[]) =>
  query.list(
    statuses,
    sql`/* authority.tokens.status */
    select ${isNotDeniedAs(NAMES)} as is_valid,
      (select username from authority.users where tenant = t.tenant and id = t.user_id) as username
    from unnest(
      ${tokens.map(({ jti }) => jti)}::text[],
      ${tokens.map(({ tenant }) => tenant)}::text[],
      ${tokens.map(({ clientId }) => clientId)}::text[],
      ${tokens.map(({ subject }) => subject)}::text[],
      ${tokens.map(({ subject }) => (isId(subject, 'User') ? subject : null))}::uuid[]
    ) with ordinality as t (jti, tenant, client_id, subject, user_id, place)
    order by t.place`,
  );
