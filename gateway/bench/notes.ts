import type { Who } from '@landfall/kernel/core/caller';
import { idOf, toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';

/** Caller with a token id, as the edge creates it, since writes read the denylist. */
export const writer: Who = {
  tenant: toTenantId('acme'),
  subject: '00000000-0000-7000-8000-00000000000a',
  clientId: 'console',
  scopes: new Set(['orch:operate']),
  kind: 'user',
  correlationId: '01900000-0000-7000-8000-000000000000',
  assertedTenants: [],
  tokenId: '00000000-0000-7000-8000-0000000000ff',
};

/** Smallest real write operation: one row and its event. */
export const createNotes = ({ operation }: Pick<Deps, 'operation'>) => ({
  add: operation({
    name: 'note.add',
    kind: 'write',
    scope: ['orch:operate'],
    input: Type.Object({ id: idOf('Note'), body: Type.String({ maxLength: 200 }) }),
    async run(caller, { id, body }, tx) {
      await tx.run(sql`/* bench.notes.insert */
        insert into bench.notes (tenant, id, body) values (${caller.tenant}, ${id}, ${body})`);
      await event(tx, caller, 'note.add', { entity: 'Note', id, version: 1, data: { body } });
      return { id };
    },
  }),
});
