// Cost of a write operation with its event, against a hand-written transaction with `pg`: the same two rows, prepared
// statements, eight connections, and without row-level security, the denylist or input checks.
import { randomIds } from '@landfall/kernel/core/ids';
import pg from 'pg';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { createNotes, writer } from './notes.ts';
import { compare } from './rounds.ts';

const CALLERS = 8;
const BODY = 'It is written down, and told.';

const insertNote = 'insert into bench.notes (tenant, id, body) values ($1, $2, $3)';
const insertEvent = `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const writeDirectly = async (client: pg.Client): Promise<void> => {
  const { tenant, subject, correlationId } = writer;
  const id = randomIds.uuid();
  const data = JSON.stringify({ body: BODY });
  await client.query('begin');
  await client.query({ name: 'note', text: insertNote, values: [tenant, id, BODY] });
  const event = [tenant, 'note.add', 'Note', id, 1, subject, correlationId, data];
  await client.query({ name: 'event', text: insertEvent, values: event });
  await client.query('commit');
};

/** Creates clients that write the two rows as the superuser, without row-level security: the lower bound. */
const directClients = async (connection: pg.ClientConfig) => {
  const idle = Array.from({ length: CALLERS }, () => new pg.Client(connection));
  const all = [...idle];
  await Promise.all(all.map((client) => client.connect()));
  return {
    async use(work: (client: pg.Client) => Promise<void>): Promise<void> {
      const client = idle.pop();
      if (!client) throw new Error('more callers than connections');
      await work(client);
      idle.push(client);
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map((client) => client.end()))),
  };
};

await using host = await benchHost();
await using clients = await directClients(host.migrating);
const notes = createNotes(host.deps);

const {
  ours: own,
  bare: peer,
  ratio,
} = await compare(
  { once: () => notes.add(writer, { id: randomIds.uuid(), body: BODY }) },
  { once: () => clients.use(writeDirectly) },
  { callers: CALLERS, rounds: 40, roundMs: 250 },
);

const { tell } = createReport('write');
tell('with its event, of the bare transaction', ratio.perCpuSecond, 'ratio', { atLeast: 0.8 });
tell('with its event, of the bare transaction, wall clock', ratio.perSecond, 'ratio');
tell('with its event', own.perCpuSecond, 'writes per CPU second');
tell('bare transaction', peer.perCpuSecond, 'writes per CPU second');
tell('with its event, wall clock', own.perSecond, 'writes per second');
tell('bare transaction, wall clock', peer.perSecond, 'writes per second');
