import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';

export const SIGNALS = ['helpful', 'not_helpful'] as const;

export interface NewFeedback {
  readonly feedbackId: string;
  readonly subject: string;
  readonly query: string;
  readonly entityKey: string;
  readonly signal: (typeof SIGNALS)[number];
  readonly comment: string | null;
}

export const insert = (tx: Tx, tenant: TenantId, values: NewFeedback): Promise<number> =>
  tx.run(sql`/* search.feedback.insert */
    insert into search.feedback (tenant, feedback_id, subject, query, entity_key, signal, comment)
    values (${tenant}, ${values.feedbackId}, ${values.subject}, ${values.query}, ${values.entityKey}, ${values.signal},
      ${values.comment})`);

/** Deletes old feedback. Role `landfall_system`. */
export const prune = (query: Query, days: number): Promise<number> =>
  query.run(sql`/* search.feedback.prune */
    delete from search.feedback where at < kernel.now() - make_interval(days => ${days})`);
