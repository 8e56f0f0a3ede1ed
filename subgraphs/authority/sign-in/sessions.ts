import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { requireProductScope } from '../protocol/scopes.ts';
import {
  createFirstPartyCheck,
  isAdmin,
  ownerOf,
  type RequireFirstParty,
  requireFirstPartyOrAdmin,
} from '../tokens/first-party.ts';
import * as store from './sessions.store.ts';

export const { endOtherSessionsOfUser, find, list, prune: pruneSessions, remove } = store;
export type { Session, SessionId } from './sessions.store.ts';

export const sessionEvent = eventsOf('Session');

/** Session as the graph shows it. */
const viewOf = ({ authTime: signedInAt, amr: methods, ...session }: store.Session) => {
  const { id, userId, expiresAt, userAgent, address } = session;
  return { id, userId, signedInAt, expiresAt, methods, userAgent, address };
};

export type SessionView = ReturnType<typeof viewOf>;

const operationsOf = ({ operation }: Pick<Deps, 'operation'>, firstParty: RequireFirstParty) => ({
  /** Live sessions, newest first. */
  list: operation({
    name: 'session.list',
    kind: 'read',
    scope: [],
    input: Type.Object({ ...pageFields, userId: Type.Optional(idOf('User')) }),
    async run(caller, { userId, ...page }, query) {
      requireProductScope(caller);
      return readPage(page, async (bounds) => {
        const owner = ownerOf(caller, userId);
        return owner === 'nobody'
          ? []
          : (await store.list(query, caller.tenant, { userId: owner, ...bounds })).map(viewOf);
      });
    },
  }),

  /** Ends a session: its browser must sign in again; tokens of clients live until their family ends. */
  revoke: operation({
    name: 'session.revoke',
    cost: 0,
    kind: 'write',
    scope: [],
    input: Type.Object({ id: idOf('Session') }),
    raises: ['PERM_ACTION_DENIED', 'RES_NOT_FOUND'],
    example: { id: exampleId('Session') },
    prepare: (caller) => requireFirstPartyOrAdmin(firstParty, caller),
    async run(caller, { id }, tx) {
      const session = await store.find(tx, caller.tenant, id);
      const isOwn = session?.userId === caller.subject;
      if (!session || !(isOwn || isAdmin(caller)) || (await store.remove(tx, caller.tenant, id)) === 0)
        throw new Fault('RES_NOT_FOUND', `There is no session ${id}.`);
      await sessionEvent(tx, caller, 'session.revoke', session, { userId: session.userId });
      return { id };
    },
  }),
});

export const createSessions = (deps: Pick<Deps, 'operation' | 'database'>) =>
  operationsOf(deps, createFirstPartyCheck(deps));
