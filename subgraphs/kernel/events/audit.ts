import { rootOf } from '../crypto/merkle.ts';
import type { Database } from '../db/database.ts';
import * as store from './audit.store.ts';
import { type Cursor, formatCursor, isAfter } from './read.ts';
import { listEvents } from './seal.store.ts';
import {
  CURSOR_BYTES,
  eventLeaf,
  LEAF_BYTES,
  packCursor,
  partsOf,
  positionOf,
  type SealedEvent,
  sealHash,
  unpackCursor,
} from './seal.ts';

/** Finding of an audit: an entry that should not exist, or one that is missing. */
export interface Finding {
  readonly kind: 'event-edited' | 'event-deleted' | 'event-inserted' | 'seal-edited' | 'seal-missing' | 'log';
  /** The seal it is about. */
  readonly seal: bigint;
  /** For an operator: which row, which seal, and what is wrong with it. */
  readonly text: string;
}

interface SealAudit {
  readonly seals: number;
  readonly events: number;
  /** Events after the last seal, which cannot be checked yet. */
  readonly unsealed: store.Waiting;
  readonly newest: { readonly sequence: bigint; readonly hash: Buffer; readonly sealedAt: string } | undefined;
}

type Report = (finding: Finding) => void;

const SEALS = 100;
const EVENTS = 5_000;
/** Upper bound of findings reported for one seal; a seal with more is wrong as a whole. */
const MAX_REPORTED = 20;
/** Position before every possible event. */
const START: Cursor = { xid: 0n, id: -(2n ** 63n) };

/** Reads the events in their order, up to wherever the caller is. */
const createReader = (database: Database) => {
  let page: readonly SealedEvent[] = [];
  let index = 0;
  let last = START;
  /** Events read at the last position, where a forger may have put several. */
  let usedIds = new Set<string>();

  const turnPage = async (): Promise<void> => {
    const found = await database.system.read((query) => listEvents(query, last, EVENTS, 'from'));
    const isLast = ({ xid, id }: SealedEvent): boolean => BigInt(xid) === last.xid && BigInt(id) === last.id;
    page = found.filter((event) => !isLast(event) || !usedIds.has(event.tenant));
    index = 0;
    const end = page.at(-1);
    if (!end) return;
    if (!isLast(end)) usedIds = new Set();
    last = positionOf(end);
    for (const event of page) if (isLast(event)) usedIds.add(event.tenant);
  };

  return {
    /** Reads the next events up to `end`. A repeated call may return more. */
    async upTo(end: Cursor): Promise<SealedEvent[]> {
      const found: SealedEvent[] = [];
      do {
        for (; index < page.length; index += 1) {
          const event = page[index];
          if (!event || isAfter(positionOf(event), end)) return found;
          found.push(event);
        }
        await turnPage();
      } while (page.length > 0);
      return found;
    },
  };
};

interface Judged {
  readonly row: store.SealRow;
  readonly hash: Buffer;
  /** Whether its hash matches its content. */
  readonly isWhole: boolean;
  readonly positions: readonly Cursor[];
  readonly first: Cursor;
  /** Position where its events end: of the seal, or of its list when the seal's hash is wrong. */
  readonly last: Cursor;
}

const cursorFrom = (xid: string, id: string): Cursor => ({ xid: BigInt(xid), id: BigInt(id) });

const judge = (row: store.SealRow): Judged => {
  const stated = { first: cursorFrom(row.firstXid, row.firstId), last: cursorFrom(row.lastXid, row.lastId) };
  const hash = sealHash({ ...row, ...stated, sequence: Number(row.sequence) });
  const isComplete = hash.equals(row.hash);
  const positions = partsOf(row.cursors, CURSOR_BYTES).map(unpackCursor);
  const [first = stated.first, last = stated.last] = isComplete ? [] : [positions[0], positions.at(-1)];
  return { row, hash, isWhole: isComplete, positions, first, last };
};

const name = (event: Pick<SealedEvent, 'xid' | 'id' | 'tenant' | 'type' | 'entity' | 'entityId'>): string =>
  `${formatCursor(positionOf(event))} (${event.tenant}, ${event.type} of ${event.entity} ${event.entityId})`;

const sameHash = (one: Buffer | null, other: Buffer | undefined): boolean =>
  one === null ? other === undefined : other !== undefined && one.equals(other);

/** Whether a seal's previous hash matches the seal before it. A changed hash breaks only its own seal. */
const follows = (row: store.SealRow, before: Judged | undefined): boolean =>
  sameHash(row.previous, before?.row.hash) || sameHash(row.previous, before?.hash);

const reportChain = (judged: Judged, before: Judged | undefined, report: Report): void => {
  const { row } = judged;
  const seal = row.sequence;
  const due = (before?.row.sequence ?? 0n) + 1n;
  if (seal !== due) {
    const missing = seal - 1n > due ? `Seals ${due} to ${seal - 1n} are` : `Seal ${due} is`;
    const text = `${missing} gone; the events before ${formatCursor(judged.first)} that it covered cannot be checked.`;
    report({ kind: 'seal-missing', seal: due, text });
  } else if (!follows(row, before)) {
    report({
      kind: 'seal-edited',
      seal,
      text: `Seal ${seal} does not follow ${before ? `seal ${due - 1n}` : 'nothing'}.`,
    });
  }
  if (!judged.isWhole)
    report({ kind: 'seal-edited', seal, text: `Seal ${seal} was edited: its hash is not over what it says.` });
};

/** Compares the rows of a seal with the sealed positions. */
const compareRows = ({ row, positions }: Judged, events: readonly SealedEvent[]): Finding[] => {
  const seal = row.sequence;
  const leaves = partsOf(row.leaves, LEAF_BYTES);
  const sealed = new Map(positions.map((position, i) => [formatCursor(position), leaves[i]]));
  const findings: Finding[] = [];
  // Unchanged events come first: of two at one position, the changed one was inserted there.
  const others = events.filter((event) => {
    const key = formatCursor(positionOf(event));
    const isSame = sealed.get(key)?.equals(eventLeaf(event)) ?? false;
    if (isSame) sealed.delete(key);
    return !isSame;
  });
  for (const event of others) {
    if (sealed.delete(formatCursor(positionOf(event))))
      findings.push({ kind: 'event-edited', seal, text: `Event ${name(event)}, under seal ${seal}, was edited.` });
    else findings.push({ kind: 'event-inserted', seal, text: `Event ${name(event)} was inserted under seal ${seal}.` });
  }
  for (const key of sealed.keys())
    findings.push({ kind: 'event-deleted', seal, text: `Event ${key}, under seal ${seal}, was deleted.` });
  return findings;
};

const reportRows = (findings: readonly Finding[], report: Report): void => {
  for (const finding of findings.slice(0, MAX_REPORTED)) report(finding);
  const [next, ...rest] = findings.slice(MAX_REPORTED);
  if (next)
    report({ ...next, text: `${rest.length + 1} more events under seal ${next.seal} are not as they were sealed.` });
};

/** Checks that a seal's position list matches its root. The seal's hash does not cover the list. */
const isListed = ({ row, positions }: Judged): boolean => {
  const leaves = partsOf(row.leaves, LEAF_BYTES);
  const isAscending = positions.every((position, i) => {
    const before = positions[i - 1];
    return !before || isAfter(position, before);
  });
  return (
    isAscending && positions.length === row.count && leaves.length === row.count && rootOf(leaves).equals(row.root)
  );
};

/** Reports events that do not match their root. At least one finding is reported, since the root was sealed. */
const reportWrongRoot = (judged: Judged, events: readonly SealedEvent[], report: Report): void => {
  const seal = judged.row.sequence;
  const findings = compareRows(judged, events);
  reportRows(findings, report);
  // A seal with a wrong hash was reported already, and its root proves nothing.
  if (!judged.isWhole) return;
  if (findings.length === 0) {
    const text = `Events under seal ${seal} were edited, and its list of them as well: its root is over others.`;
    report({ kind: 'event-edited', seal, text });
  } else if (!isListed(judged)) {
    const text = `Seal ${seal} was edited: its list of events is not what its root is over, and may name others than were changed.`;
    report({ kind: 'seal-edited', seal, text });
  }
};

/** Reports differences of a seal's events: compares roots first, single rows only when the roots differ. */
const reportEvents = (judged: Judged, events: readonly SealedEvent[], report: Report): void => {
  const { row, isWhole: isComplete } = judged;
  const seal = row.sequence;
  const leaves = events.map(eventLeaf);
  const sameLeaves = Buffer.concat(leaves).equals(row.leaves);
  const sameRows =
    sameLeaves && Buffer.concat(events.map((event) => packCursor(positionOf(event)))).equals(row.cursors);
  const isRooted = events.length === row.count && rootOf(leaves).equals(row.root);
  if (isComplete && isRooted) {
    if (!sameRows)
      report({
        kind: 'seal-edited',
        seal,
        text: `Seal ${seal} was edited: its list of events is not what its root is over.`,
      });
  } else {
    reportWrongRoot(judged, events, report);
  }
};

/** Computes every seal and their chain again from the events, undisturbed by writes, and reports each finding. */
export const auditSeals = async (database: Database, report: Report): Promise<SealAudit> => {
  const reader = createReader(database);
  let before: Judged | undefined;
  let [seals, events] = [0, 0];
  for (;;) {
    const after = before?.row.sequence ?? -(2n ** 63n);
    const rows = await database.system.read((query) => store.listSeals(query, after, SEALS));
    if (rows.length === 0) break;
    for (const row of rows) {
      const judged = judge(row);
      reportChain(judged, before, report);
      const found = await reader.upTo(judged.last);
      const isGap = row.sequence !== (before?.row.sequence ?? 0n) + 1n;
      const own = isGap ? found.filter((event) => !isAfter(judged.first, positionOf(event))) : found;
      reportEvents(judged, own, report);
      before = judged;
      seals += 1;
      events += own.length;
    }
  }
  const end = before?.last ?? START;
  const unsealed = await database.system.read((query) => store.findUnsealed(query, end));
  const newest = before && { sequence: before.row.sequence, hash: before.row.hash, sealedAt: before.row.sealedAt };
  return { seals, events, unsealed, newest };
};
