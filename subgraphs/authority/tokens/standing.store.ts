import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, table, text } from '@landfall/kernel/db/table';
import { isGood } from '@landfall/kernel/denylist';
import { isId } from '@landfall/kernel/ids';
import type { AccessToken } from './access-tokens.ts';

const standings = table('authority.token standing', { good: boolean, username: text.nullable() });

/**
 * Whether a token still holds, and the name of whoever it speaks of, in one round trip: neither it nor its tenant, client
 * or person was stopped. Role `landfall_system`.
 */
export const find = (query: Query, token: Pick<AccessToken, 'jti' | 'tenant' | 'clientId' | 'subject'>) =>
  query.get(
    standings,
    sql`/* authority.tokens.standing */
    select ${isGood(token)} as good, (
      select username from authority.users
      where tenant = ${token.tenant} and id = ${isId(token.subject, 'User') ? token.subject : null}
    ) as username`,
  );
