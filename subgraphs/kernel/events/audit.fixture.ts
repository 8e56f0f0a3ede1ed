import assert from 'node:assert/strict';
import pg from 'pg';
import { toTenantId } from '../core/ids.ts';
import type { Database } from '../db/database.ts';
import { testDeps } from '../testing/app.ts';
import { caller } from '../testing/callers.ts';
import { readableEvents } from '../testing/readable-events.ts';
import { auditSeals, type Finding } from './audit.ts';
import { auditLogs, type LogEntry, type SealLog } from './audit-log.ts';
import { logSeals, sealBatch } from './sealer.ts';
import { event } from './write.ts';

/** Log in memory that logs each body once, without a tree. */
export const memoryLog = (origin: string) => {
  const bodies: Buffer[] = [];
  return {
    origin,
    bodies,
    append: async (body: Uint8Array) => {
      const known = bodies.findIndex((entry) => entry.equals(body));
      return { index: known >= 0 ? known : bodies.push(Buffer.from(body)) - 1 };
    },
  };
};

type MemoryLog = ReturnType<typeof memoryLog>;

const asRead = ({ origin, bodies }: MemoryLog): SealLog => {
  const pages = async function* (): AsyncGenerator<readonly LogEntry[]> {
    yield bodies.map((body, index) => ({ index, body }));
  };
  return { origin, pages: pages(), size: async () => bodies.length };
};

/**
 * Creates a database with an audit trail, with functions that write and seal it, and a session of its owner that may
 * change every row.
 */
export const createTrail = async () => {
  const base = await testDeps();
  const { database } = base.deps;
  const client = new pg.Client(base.connection);
  await client.connect();

  /** Writes events that are numbered from `from` on. */
  const write = async (from: number, count: number): Promise<void> => {
    for (let at = from; at < from + count; at += 1) {
      const tenant = toTenantId(at % 3 === 0 ? 'acme' : 'globex');
      const actor = { ...caller({ subject: `user-${at % 4}` }), tenant };
      const data = { note: `№ ${at}`, amount: at / 8, nested: { list: [at, null, 'ünïcode "quoted"'] } };
      await database.write(tenant, (tx) =>
        event(tx, actor, 'note.write', { entity: 'Note', id: `n${at}`, version: at, data }),
      );
    }
  };

  /** Seals so many events, in batches of one size. */
  const seal = async (events: number, batch: number): Promise<void> => {
    await readableEvents(database);
    for (let sealed = 0; sealed < events; ) {
      const count = await sealBatch({ database }, Math.min(batch, events - sealed));
      sealed += count;
    }
  };

  const logAllSeals = async (log: MemoryLog): Promise<void> => {
    while ((await logSeals({ database }, log)) > 0);
  };

  const audit = async (logs: readonly MemoryLog[], auditedDatabase: Database = database) => {
    const findings: Finding[] = [];
    const report = (finding: Finding): void => void findings.push(finding);
    const seals = await auditSeals(auditedDatabase, report);
    const log = await auditLogs(database, logs.map(asRead), report);
    return { ...seals, ...log, findings, kinds: [...new Set(findings.map(({ kind }) => kind))].toSorted() };
  };

  return {
    ...base,
    database,
    client,
    write,
    seal,
    anchor: logAllSeals,
    audit,
    /** Remembers the trail as it is, for `tampered` to put it back. */
    async keep(): Promise<void> {
      await client.query('create table kept_events as select * from kernel.events');
      await client.query('create table kept_seals as select * from kernel.event_seals');
    },
    /** Changes rows as the owner of the database could, audits the trail, and restores the rows. */
    async tampered(logs: readonly MemoryLog[], statements: readonly string[]) {
      for (const statement of statements) {
        const { rowCount } = await client.query(statement);
        assert.ok(rowCount !== 0, `nothing was changed by ${statement}`);
      }
      const found = await audit(logs);
      await client.query('delete from kernel.events');
      await client.query('insert into kernel.events overriding system value select * from kept_events');
      await client.query('delete from kernel.event_seals');
      await client.query('insert into kernel.event_seals select * from kept_seals');
      return found;
    },
    async [Symbol.asyncDispose]() {
      await client.end();
      await base[Symbol.asyncDispose]();
    },
  };
};

/** SQL condition of the nth event in their order. */
export const nthEvent = (n: number): string =>
  `(tenant, xid, id) = (select tenant, xid, id from kernel.events order by xid, id offset ${n} limit 1)`;
