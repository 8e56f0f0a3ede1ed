import type { TenantId } from '@landfall/kernel/core/ids';
import { idArray, instant, integer, integerArray, json, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { personalHours } from './personal-hours.ts';

const people = table('notify.people', {
  subject: text,
  timeZone: text,
  locale: text,
  quietHours: json(personalHours).nullable(),
  defaultMethods: idArray('ContactMethod'),
  importantMethods: idArray('ContactMethod'),
  defaultWaits: integerArray,
  importantWaits: integerArray,
  codesSent: integer,
  codesEndAt: instant,
  version: integer,
});

/** Preferences of a person. */
export type Person = RowOf<typeof people>;

export const find = (query: Query, tenant: TenantId, subject: string): Promise<Person | undefined> =>
  people.findWhere(query, 'find', sql`tenant = ${tenant} and subject = ${subject}`);

/** Counts a code that is sent for a person in a window, which locks the person until the transaction ends. */
export const countCode = (tx: Tx, tenant: TenantId, subject: string, windowSeconds: number): Promise<Person> =>
  tx.get(
    people,
    sql`/* notify.people.countCode */
    insert into notify.people as p (tenant, subject, codes_sent, codes_end_at)
    values (${tenant}, ${subject}, 1, kernel.now() + make_interval(secs => ${windowSeconds}))
    on conflict (tenant, subject) do update set
      codes_sent = case when p.codes_end_at <= kernel.now() then 1 else p.codes_sent + 1 end,
      codes_end_at = case when p.codes_end_at <= kernel.now() then excluded.codes_end_at else p.codes_end_at end
    returning ${people.of('p')}`,
  );

type Preferences = Pick<
  Person,
  'timeZone' | 'locale' | 'quietHours' | 'defaultMethods' | 'importantMethods' | 'defaultWaits' | 'importantWaits'
>;

/** Replaces the preferences of a person. */
export const setPreferences = (tx: Tx, tenant: TenantId, subject: string, wanted: Preferences): Promise<Person> =>
  tx.get(
    people,
    sql`/* notify.people.setPreferences */
    insert into notify.people as p (tenant, subject, time_zone, locale, quiet_hours, default_methods, important_methods,
      default_waits, important_waits)
    values (${tenant}, ${subject}, ${wanted.timeZone}, ${wanted.locale},
      ${wanted.quietHours === null ? null : JSON.stringify(wanted.quietHours)}::jsonb,
      ${wanted.defaultMethods}::uuid[], ${wanted.importantMethods}::uuid[], ${wanted.defaultWaits}::integer[],
      ${wanted.importantWaits}::integer[])
    on conflict (tenant, subject) do update set time_zone = excluded.time_zone, locale = excluded.locale,
      quiet_hours = excluded.quiet_hours, default_methods = excluded.default_methods,
      important_methods = excluded.important_methods, default_waits = excluded.default_waits,
      important_waits = excluded.important_waits, version = p.version + 1
    returning ${people.of('p')}`,
  );
