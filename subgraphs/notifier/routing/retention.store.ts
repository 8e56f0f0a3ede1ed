import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';

/**
 * Deletes events that were accepted longer ago, with everything that became of them; those with a delivery that is still to
 * be sent, an open dead letter or a wait stay. Role `landfall_system`.
 * @returns the number of events
 */
export const removeOld = (tx: Tx, olderThanDays: number, limit: number): Promise<number> =>
  tx.run(sql`/* notify.events.removeOld */
    with old as (
      select e.tenant, e.id from notify.events e
      where e.received_at < kernel.now() - make_interval(days => ${olderThanDays}) and e.routed_at is not null
        and not exists (select from notify.waiting_events w where w.tenant = e.tenant and w.event_id = e.id)
        and not exists (
          select from notify.group_events m join notify.groups g on g.tenant = m.tenant and g.id = m.group_id
          where m.tenant = e.tenant and m.event_id = e.id and m.is_member and g.due_at is not null)
        and not exists (
          select from notify.deliveries d
          left join notify.dead_letters l on l.tenant = d.tenant and l.delivery_id = d.id and l.status = 'open'
          where d.tenant = e.tenant and d.event_id = e.id and (d.due_at is not null or l.id is not null))
      limit ${limit}
    ),
    sent as (select d.tenant, d.id from notify.deliveries d join old on old.tenant = d.tenant and old.id = d.event_id),
    letters as (
      delete from notify.dead_letters l using sent where l.tenant = sent.tenant and l.delivery_id = sent.id
    ),
    tried as (delete from notify.attempts a using sent where a.tenant = sent.tenant and a.delivery_id = sent.id),
    grouped as (delete from notify.group_events m using old where m.tenant = old.tenant and m.event_id = old.id),
    ended as (delete from notify.deliveries d using sent where d.tenant = sent.tenant and d.id = sent.id),
    kept as (delete from notify.suppressions s using old where s.tenant = old.tenant and s.event_id = old.id)
    delete from notify.events e using old where e.tenant = old.tenant and e.id = old.id`);
