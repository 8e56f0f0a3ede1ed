import type { TenantId } from '@landfall/kernel/core/ids';
import { id, idArray, integerArray, json, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ContactMethodId } from './contact-methods.store.ts';
import { personalHours } from './personal-hours.ts';

const usable = table('notify.contact_methods.usable', {
  id: id('ContactMethod'),
  subject: text,
  channelId: id('NotificationChannel'),
  address: text,
  mutedKinds: textArray,
  timeZone: text.nullable(),
  locale: text.nullable(),
  quietHours: json(personalHours).nullable(),
  defaultMethods: idArray('ContactMethod').nullable(),
  importantMethods: idArray('ContactMethod').nullable(),
  defaultWaits: integerArray.nullable(),
  importantWaits: integerArray.nullable(),
});

/** Verified contact method whose channel carries messages to people, with its owner's preferences. */
export type UsableMethod = RowOf<typeof usable>;

const usableWhere = (tenant: TenantId, condition: Sql): Sql => sql`
    select m.id, m.subject, m.channel_id, m.address, m.muted_kinds, p.time_zone, p.locale, p.quiet_hours,
      p.default_methods, p.important_methods, p.default_waits, p.important_waits
    from notify.contact_methods m
    join notify.channels c on c.tenant = m.tenant and c.id = m.channel_id
      and c.for_people and c.is_enabled and c.removed_at is null
    left join notify.people p on p.tenant = m.tenant and p.subject = m.subject
    where m.tenant = ${tenant} and ${condition} and m.verified_at is not null and m.suppressed_reason is null
      and m.removed_at is null
    order by m.created_at, m.id`;

/** Usable contact methods of people, the oldest first. */
export const listOfPeople = (query: Query, tenant: TenantId, subjects: readonly string[]): Promise<UsableMethod[]> =>
  query.list(
    usable,
    sql`/* notify.contact_methods.listUsableOfPeople */ ${usableWhere(tenant, sql`m.subject = any(${subjects}::text[])`)}`,
  );

/** Usable contact methods among some. */
export const listUsable = (
  query: Query,
  tenant: TenantId,
  methodIds: readonly ContactMethodId[],
): Promise<UsableMethod[]> =>
  query.list(
    usable,
    sql`/* notify.contact_methods.listUsable */ ${usableWhere(tenant, sql`m.id = any(${methodIds}::uuid[])`)}`,
  );
