import { isId, type TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as store from './feed.store.ts';

export type Facts = Readonly<Record<string, string>>;

const keyOf = (tenant: TenantId, kind: store.SubjectKind, id: string): string => `${tenant} ${kind} ${id}`;

/** Names and relations of things, kept during one transaction and written at its end. */
export const createSubjects = (tx: Tx) => {
  const known = new Map<string, store.Subject | undefined>();
  const changed = new Set<string>();

  const find = async (tenant: TenantId, kind: store.SubjectKind, id: string | undefined): Promise<Facts> => {
    if (id === undefined || !isId(id, 'Subject')) return {};
    const key = keyOf(tenant, kind, id);
    if (!known.has(key)) known.set(key, (await store.listSubjects(tx, [{ tenant, kind, id }]))[0]);
    return known.get(key)?.facts ?? {};
  };

  return {
    find,
    /** Adds facts; those that are undefined stay as they are. */
    async note(
      tenant: TenantId,
      kind: store.SubjectKind,
      id: string,
      facts: Readonly<Record<string, string | undefined>>,
    ): Promise<void> {
      if (!isId(id, 'Subject')) return;
      const before = await find(tenant, kind, id);
      const given = Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const key = keyOf(tenant, kind, id);
      known.set(key, { tenant, kind, id, facts: { ...before, ...Object.fromEntries(given) } });
      changed.add(key);
    },
    async save(): Promise<void> {
      const rows = [...changed].flatMap((key) => known.get(key) ?? []);
      if (rows.length > 0) await store.upsertSubjects(tx, rows);
    },
  };
};

export type Subjects = ReturnType<typeof createSubjects>;
