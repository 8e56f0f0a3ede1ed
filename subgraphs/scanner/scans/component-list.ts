import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { type Page, pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { SCANS_READ } from '../shared/scopes.ts';
import * as store from './components.store.ts';
import * as scans from './scans.store.ts';

/** Scans of one count: those of a page. */
const MAX_SCANS = 1_000;

const cursorOf = ({ n }: store.StoredComponent): string => Buffer.from(String(n)).toString('base64url');

/** Position of a cursor. Throws Fault VAL_INVALID_FORMAT for a text that is no cursor of components. */
const positionOf = (after: string | undefined): number | undefined => {
  if (after === undefined) return undefined;
  const n = Buffer.from(after, 'base64url').toString();
  if (/^\d{1,9}$/.test(n)) return Number(n);
  throw new Fault('VAL_INVALID_FORMAT', 'This cursor is not one of ours.', undefined, [
    { field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' },
  ]);
};

/** Page of components as a connection of the graph. */
export const componentConnection = ({ items, hasNextPage }: Page<store.StoredComponent>) => {
  const last = items.at(-1);
  return {
    edges: items.map((node) => ({ cursor: cursorOf(node), node })),
    pageInfo: { hasNextPage, endCursor: last ? cursorOf(last) : null },
  };
};

/** Creates the operations that list the components of scans. */
export const createComponentList = ({ operation }: Pick<Deps, 'operation'>) => ({
  /** Components of a scan in the order of its bill; of a scan that is not complete there are none. */
  ofScan: operation({
    name: 'component.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ ...pageFields, scanId: idOf('Scan'), conclusive: Type.Optional(Type.Boolean()) }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan') },
    async run({ tenant }, { scanId, conclusive, first = 50, after }, query) {
      await scans.get(query, tenant, scanId);
      const page = { after: positionOf(after), limit: first + 1 };
      return pageOf(await store.listOfScan(query, tenant, scanId, { conclusive }, page), first);
    },
  }),

  /** Number of evaluated components of each scan of which an advisory could not be evaluated. */
  countInconclusive: operation({
    name: 'component.countInconclusive',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ scanIds: Type.Array(idOf('Scan'), { maxItems: MAX_SCANS }) }),
    example: { scanIds: [exampleId('Scan')] },
    run: ({ tenant }, { scanIds }, query) => store.countInconclusive(query, tenant, scanIds),
  }),
});
