import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, integer, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

/** Types of channels that can carry messages to an address of a person. */
export const CONTACT_KINDS = ['email', 'slack', 'webhook'] as const;
export type ContactKind = (typeof CONTACT_KINDS)[number];

export type ContactMethodId = Id<'ContactMethod'>;

const methods = table(
  'notify.contact_methods',
  {
    id: id('ContactMethod'),
    subject: text,
    channelId: id('NotificationChannel'),
    kind: oneOf(...CONTACT_KINDS),
    address: text,
    codeExpiresAt: instant.nullable(),
    codeAttempts: integer,
    verifiedAt: instant.nullable(),
    suppressedReason: text.nullable(),
    mutedKinds: textArray,
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'contact method',
    live: sql`removed_at is null`,
    writes: { codeHash: bytes.nullable(), removedAt: instant.nullable() },
  },
);

/** Address of a person, without its code. */
export type ContactMethod = RowOf<typeof methods>;

export const { find, findLocked, insertIfAbsent, update } = methods;

/** Contact methods of a person, the oldest first. */
export const listOfPerson = (query: Query, tenant: TenantId, subject: string): Promise<ContactMethod[]> =>
  methods.listWhere(
    query,
    'listOfPerson',
    sql`tenant = ${tenant} and subject = ${subject} and removed_at is null order by created_at, id`,
  );

/** A contact method of a person. @throws Fault RES_NOT_FOUND */
export const getOfPerson = async (
  query: Query,
  tenant: TenantId,
  subject: string,
  methodId: ContactMethodId,
): Promise<ContactMethod> => {
  const found = await methods.find(query, tenant, methodId);
  if (found?.subject !== subject) throw methods.notFound(methodId);
  return found;
};

/** Suppresses an address that takes no messages any more; one that is suppressed already stays as it is. */
export const suppress = (
  tx: Tx,
  tenant: TenantId,
  methodId: ContactMethodId,
  reason: string,
): Promise<ContactMethod | undefined> =>
  tx.find(
    methods,
    sql`/* notify.contact_methods.suppress */
    update notify.contact_methods set suppressed_reason = ${reason}, version = version + 1
    where tenant = ${tenant} and id = ${methodId} and suppressed_reason is null and removed_at is null
    returning ${methods.columns}`,
  );

const claimed = table('notify.contact_methods.claimed', { codeHash: bytes.nullable(), codeAttempts: integer });

/** Counts an attempt at the code that is in force. Returns its hash, unless there is none or no attempt is left. */
export const claimAttempt = (
  tx: Tx,
  tenant: TenantId,
  subject: string,
  methodId: ContactMethodId,
  mostAttempts: number,
) =>
  tx.find(
    claimed,
    sql`/* notify.contact_methods.claimAttempt */
    update notify.contact_methods set code_attempts = code_attempts + 1
    where tenant = ${tenant} and id = ${methodId} and subject = ${subject} and removed_at is null
      and code_hash is not null and code_expires_at > kernel.now() and code_attempts < ${mostAttempts}
    returning code_hash, code_attempts`,
  );
