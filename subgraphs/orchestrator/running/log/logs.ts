import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { notice } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { readsReleases } from '../../shared/scopes.ts';
import * as deployments from '../deployments/deployment.ts';
import * as store from './logs.store.ts';

export const { listUnpublished, prune, takeUnpublished } = store;

/** Component name of lines that the platform wrote itself. */
export const PLATFORM = 'landfall';

/** Publishes a notice that a deployment's log grew. It is not written to the audit trail, which it would flood. */
export const publishLogGrowth = async (tx: Tx, caller: Who, { deploymentId }: store.LogKey): Promise<void> => {
  const deployment = await store.findVersion(tx, caller.tenant, deploymentId);
  if (deployment)
    await notice(tx, caller, 'deployment.log', { entity: 'Deployment', id: deploymentId, version: deployment.version });
};

/** Log line before it has a number. */
export type LogLineInput = Omit<store.LogLine, 'line'>;

const bytesOf = ({ text }: LogLineInput): number => Buffer.byteLength(text) + 1;

/** Stores the lines of a message unless it was stored before, and publishes a notice at most once a second. */
export const appendToLog = async (tx: Tx, caller: Who, message: store.LogMessage, added: readonly LogLineInput[]) => {
  const bytes = added.reduce((sum, line) => sum + bytesOf(line), 0);
  const head = await store.advance(tx, caller.tenant, message, { lines: added.length, bytes });
  if (!head) return;
  let end = head.bytes - bytes;
  const placed = added.map((line) => {
    const beginBytes = end;
    end += bytesOf(line);
    return { ...line, beginBytes };
  });
  await store.insert(tx, caller.tenant, message, head.lines - added.length, placed);
  await store.trim(tx, caller.tenant, message, head);
  if (!head.hasUntold) await publishLogGrowth(tx, caller, message);
};

const encode = (line: number): string => Buffer.from(`l${line}`).toString('base64url');

/** Decodes a cursor; throws Fault VAL_INVALID_FORMAT when the platform did not issue it. */
const decode = (cursor: string): number => {
  const [, line] = /^l(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (line !== undefined) return Number(line);
  throw new Fault('VAL_INVALID_FORMAT', 'This cursor is not one of ours.', undefined, [
    { field: 'after', message: 'is not a cursor of this log', code: 'VAL_INVALID_FORMAT' },
  ]);
};

/** Inserts a line that says how many lines are no longer stored. */
const withGap = (lines: readonly store.LogLine[], after: number): readonly store.LogLine[] => {
  const [first] = lines;
  const removed = first ? first.line - after - 1 : 0;
  if (!first || removed === 0) return lines;
  const words = `(${removed} earlier ${removed === 1 ? 'line is' : 'lines are'} kept no more)`;
  return [{ line: first.line - 1, component: PLATFORM, text: words, at: first.at }, ...lines];
};

/** Creates the operations on the log of a deployment's components, oldest line first. */
export const createLogs = ({ operation }: Pick<Deps, 'operation'>) => ({
  log: operation({
    name: 'deployment.log',
    kind: 'read',
    scope: readsReleases,
    input: Type.Object({ deploymentId: idOf('Deployment'), targetId: idOf('Target'), ...pageFields }),
    raises: ['RES_NOT_FOUND'],
    example: { deploymentId: exampleId('Deployment'), targetId: exampleId('Target') },
    async run(caller, { deploymentId, targetId, first = 200, after: cursor }, query) {
      const after = cursor === undefined ? 0 : decode(cursor);
      await deployments.get(query, caller.tenant, deploymentId);
      const found = await store.list(query, caller.tenant, { deploymentId, targetId }, after, first + 1);
      const { items, hasNextPage } = pageOf(withGap(found, after), first);
      const edges = items.map(({ line, ...node }) => ({ cursor: encode(line), node }));
      // The cursor of a reader that has read everything continues from the same position.
      const endCursor = edges.at(-1)?.cursor ?? cursor ?? null;
      return { edges, pageInfo: { hasNextPage, endCursor } };
    },
  }),
});
