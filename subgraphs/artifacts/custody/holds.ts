import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { EVIDENCE_ADMIN, EVIDENCE_HOLD, EVIDENCE_READ } from '../shared/scopes.ts';
import * as artifacts from './artifact-custody.store.ts';
import * as store from './holds.store.ts';
import * as protection from './object-protection.store.ts';

const record = eventsOf('EvidenceHold');

const mayEnd = (
  { subject, scopes }: { readonly subject: string; readonly scopes: ReadonlySet<string> },
  { placedBy }: store.Hold,
): boolean => subject === placedBy || EVIDENCE_ADMIN.some((scope) => scopes.has(scope));

/** Creates the operations on legal holds. */
export const createHolds = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  place: operation({
    name: 'evidenceHold.place',
    kind: 'write',
    scope: EVIDENCE_HOLD,
    input: Type.Object({ artifactId: idOf('Artifact'), reason: freeText(1_000, 10) }),
    raises: ['RES_NOT_FOUND'],
    example: { artifactId: exampleId('Artifact'), reason: 'The audit of 2026 asks for it.' },
    async run(who, { artifactId, reason }, tx) {
      await artifacts.getLocked(tx, who.tenant, artifactId);
      const hold = await store.insert(tx, who.tenant, {
        id: toId(ids.uuid(), 'EvidenceHold'),
        artifactId,
        reason,
        placedBy: who.subject,
      });
      await protection.markDue(tx, who.tenant, artifactId);
      await record(tx, who, 'evidenceHold.place', hold, { artifactId, reason });
      return hold;
    },
  }),

  end: operation({
    name: 'evidenceHold.end',
    kind: 'write',
    scope: EVIDENCE_HOLD,
    input: Type.Object({ id: idOf('EvidenceHold'), reason: freeText(1_000, 10) }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT', 'PERM_ACTION_DENIED'],
    example: { id: exampleId('EvidenceHold'), reason: 'The audit of 2026 is closed.' },
    async run(who, { id, reason }, tx) {
      const hold = await store.getLocked(tx, who.tenant, id);
      if (!mayEnd(who, hold))
        throw new Fault('PERM_ACTION_DENIED', 'A hold is ended by who placed it, or by an administrator (orch:admin).');
      if (hold.endedAt !== null) throw new Fault('RES_CONFLICT', `The hold ${id} has ended already.`, { id });
      const ended = await store.update(tx, who.tenant, id, {
        endedBy: who.subject,
        endedAt: sql`kernel.now()`,
        endReason: reason,
      });
      await protection.markDue(tx, who.tenant, hold.artifactId);
      await record(tx, who, 'evidenceHold.end', ended, { artifactId: hold.artifactId, reason });
      return ended;
    },
  }),

  /** Holds, the newest first: those in force, unless all are asked for. */
  list: operation({
    name: 'evidenceHold.list',
    kind: 'read',
    scope: EVIDENCE_READ,
    input: Type.Object({ ...pageFields, inForceOnly: Type.Optional(Type.Boolean()) }),
    run: ({ tenant }, { inForceOnly = true, ...page }, query) =>
      readPage(page, (bounds) => store.list(query, tenant, inForceOnly, bounds)),
  }),

  /** Holds of some artifacts, for loaders. */
  listOfArtifacts: operation({
    name: 'evidenceHold.listOfArtifacts',
    kind: 'read',
    scope: EVIDENCE_READ,
    input: Type.Object({ ids: Type.Array(idOf('Artifact'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('Artifact')] },
    run: ({ tenant }, { ids: wanted }, query) => store.listByArtifacts(query, tenant, wanted),
  }),
});
