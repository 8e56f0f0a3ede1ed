import { count, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const certificates = table('certificates of agents', { certificate: text });

export const agentAuthority = (query: Query) =>
  query.find(
    certificates,
    sql`/* doctor.agentAuthority */ select certificate from orchestrator.agent_authorities where id = 1`,
  );

const fleets = table('orchestrator.agents fleet', { present: count, away: count, ended: count, skewed: count });

/** Counts agents for the doctor: reporting, silent, with an expired certificate, or with a clock over 30 s off. */
export const fleet = (query: Query) =>
  query.get(
    fleets,
    sql`/* doctor.fleet */
    select count(*) filter (where state = 'active') as present,
      count(*) filter (where state in ('stale', 'offline')) as away,
      count(*) filter (where certificate_not_after < kernel.now()) as ended,
      count(*) filter (where abs(clock_skew_ms) > 30000) as skewed
    from orchestrator.agents where state <> 'revoked'`,
  );
