import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, toId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { normalizeAdvisoryId } from '../advisories/advisory-id.ts';
import { listAliasGroups } from '../feeds/alias-lookup.ts';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { stateOf, type TriageState } from './decision.ts';
import { decisionInput, readDecision, reason } from './decision-input.ts';
import * as store from './decisions.store.ts';
import { publishDecision, publishExpiry, publishRevocation } from './events.ts';

/** Decision with its state at the time of the answer. */
export interface ShownDecision extends store.TriageDecision {
  readonly state: TriageState;
}

interface DecisionsDeps extends Pick<Deps, 'operation' | 'ids' | 'clock'> {
  readonly products: ProductDirectory;
}

/** Alias group of a vulnerability and those that were joined to it. @throws Fault VAL_INVALID_VALUE for an unknown id */
const groupsOf = async (query: Query, vulnerabilityId: string): Promise<readonly [bigint, ...bigint[]]> => {
  const [current, ...joined] = await listAliasGroups(query, vulnerabilityId);
  if (current !== undefined) return [current, ...joined];
  throw invalid([
    {
      field: 'vulnerabilityId',
      message: `no advisory names ${vulnerabilityId}; check the id, or import the feed that has it`,
      code: 'VAL_INVALID_VALUE',
    },
  ]);
};

/** Ends the decisions that a new one replaces. One that expired before ends by its expiry. */
const endOpen = async (
  tx: Tx,
  who: Who,
  open: readonly store.TriageDecision[],
  { by, now }: { readonly by: Id<'TriageDecision'>; readonly now: Date },
): Promise<readonly string[]> => {
  const superseded: string[] = [];
  for (const { id, ...each } of open)
    if (stateOf(each, now) === 'expired')
      await publishExpiry(tx, who, await store.update(tx, who.tenant, id, { expiredAt: sql`kernel.now()` }));
    else {
      await store.update(tx, who.tenant, id, { supersededBy: by, supersededAt: sql`kernel.now()` });
      superseded.push(id);
    }
  return superseded;
};

const CONFLICT = 'Another decision of this scope about this vulnerability was made at the same time. Read it first.';

const HAS_ENDED = {
  revoked: 'was revoked before',
  superseded: 'was replaced by a later one',
  expired: 'has expired',
} as const;

/** Creates the operations on triage decisions. */
export const createTriageDecisions = ({ operation, ids, clock, products }: DecisionsDeps) => {
  const shown = (decision: store.TriageDecision): ShownDecision => ({
    ...decision,
    state: stateOf(decision, clock.now()),
  });

  return {
    /** Decides about all findings of a vulnerability within a scope; replaces the decision of the same scope. */
    decide: operation({
      name: 'triage.decide',
      kind: 'write',
      scope: SCANS_WRITE,
      input: decisionInput,
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: {
        vulnerabilityId: 'CVE-2026-1000',
        scope: 'component',
        component: 'pkg:npm/gate@1.1.0',
        status: 'not_affected',
        justification: 'vulnerable_code_not_in_execute_path',
        reason: 'The parser that is vulnerable is never called by this service.',
      },
      async run(who, input, tx) {
        const now = clock.now();
        const { tenant } = who;
        const wanted = readDecision(input, now);
        const { productId } = wanted;
        if (productId !== null && !(await products.exists(tx, tenant, productId)))
          throw new Fault('RES_NOT_FOUND', `There is no product ${productId}.`, { id: productId });
        const aliasGroups = await groupsOf(tx, wanted.vulnerabilityId);
        const id = toId(ids.uuid(), 'TriageDecision');
        const open = await store.listOpenLocked(tx, tenant, { ...wanted, aliasGroups });
        const supersedes = await endOpen(tx, who, open, { by: id, now });
        const row = { ...wanted, id, aliasGroup: aliasGroups[0], decidedBy: who.subject };
        const decision = await store.insertIfAbsent(tx, tenant, row);
        if (!decision) throw new Fault('RES_CONFLICT', CONFLICT);
        await publishDecision(tx, who, decision, supersedes);
        return shown(decision);
      },
    }),

    /** Ends a decision that is in force: its findings are undecided again, or decided by a wider scope. */
    revoke: operation({
      name: 'triage.revoke',
      kind: 'write',
      scope: SCANS_WRITE,
      input: Type.Object({ id: idOf('TriageDecision'), reason }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId('TriageDecision'), reason: 'The service calls the parser since release 4.' },
      async run(who, { id, reason: revocationReason }, tx) {
        const known = await store.getLocked(tx, who.tenant, id);
        const state = stateOf(known, clock.now());
        if (state !== 'in_force') throw new Fault('RES_CONFLICT', `Decision ${id} ${HAS_ENDED[state]}.`, { state });
        const revoked = await store.update(tx, who.tenant, id, {
          revokedBy: who.subject,
          revokedAt: sql`kernel.now()`,
          revocationReason,
        });
        await publishRevocation(tx, who, revoked);
        return shown(revoked);
      },
    }),

    get: operation({
      name: 'triage.get',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ id: idOf('TriageDecision') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('TriageDecision') },
      run: async ({ tenant }, { id }, query) => shown(await store.get(query, tenant, id)),
    }),

    /** Decisions, the newest first, of one vulnerability or of all. */
    list: operation({
      name: 'triage.list',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({
        ...pageFields,
        vulnerabilityId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        inForce: Type.Optional(Type.Boolean()),
      }),
      async run({ tenant }, { vulnerabilityId, inForce: isInForce, ...page }, query) {
        const aliasGroups =
          vulnerabilityId === undefined
            ? undefined
            : await listAliasGroups(query, normalizeAdvisoryId(vulnerabilityId.trim()));
        const { items, hasNextPage } = await readPage(page, (bounds) =>
          store.list(query, tenant, { aliasGroups, isInForce }, bounds),
        );
        return { items: items.map(shown), hasNextPage };
      },
    }),
  };
};
