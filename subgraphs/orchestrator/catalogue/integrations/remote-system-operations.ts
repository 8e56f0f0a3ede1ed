import type { Who } from '@landfall/kernel/core/caller';
import type { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { expectVersion } from '../../shared/expected-version.ts';
import { expectedVersion } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers, reads } from '../../shared/scopes.ts';
import { type Usage, usageRefusal } from './integration-usage.ts';
import { disabledRefusal, type Probe, probeOf } from './probe.ts';

/** Saved remote system of any kind. */
interface RemoteSystem<Entity extends string> {
  readonly id: Id<Entity>;
  readonly name: string;
  readonly version: number;
}

/** Saved remote system with its sealed credentials. */
interface SealedRemoteSystem {
  readonly id: string;
  readonly name: string;
  readonly disabledAt: Date | null;
}

/** SQL statements of one kind of remote system. */
interface Store<Entity extends string, Row> {
  list(query: Query, tenant: TenantId): Promise<Row[]>;
  getLocked(tx: Tx, tenant: TenantId, id: Id<Entity>): Promise<Row>;
  setDisabled(tx: Tx, tenant: TenantId, id: Id<Entity>, isDisabled: boolean, by: string): Promise<Row>;
  notFound(id: string): Fault;
  remove(tx: Tx, tenant: TenantId, id: Id<Entity>): Promise<number>;
  listUsages(query: Query, tenant: TenantId, row: Row): Promise<Usage[]>;
  recordProbe(tx: Tx, tenant: TenantId, id: Id<Entity>, probe: Probe, by: string): Promise<Row | undefined>;
}

/** Kind of remote system: integration or secret provider. */
interface RemoteSystemKind<Entity extends string, Row extends RemoteSystem<Entity>, Sealed extends SealedRemoteSystem> {
  /** GraphQL typename. */
  readonly entity: Entity;
  /** Prefix of the names of operations and events. */
  readonly noun: string;
  /** Noun for messages. */
  readonly label: string;
  readonly store: Store<Entity, Row>;
  /** Address of a row under its field's name, for the event of its removal. */
  address(row: Row): object;
  /** @throws Fault RES_NOT_FOUND */
  getSealed(query: Query, tenant: TenantId, id: Id<Entity>): Promise<Sealed>;
  /** Probes a saved remote system. */
  ping(caller: Who, sealed: Sealed): Promise<Fault | undefined>;
}

/** Creates the operations that all kinds of remote systems share: test, disable, enable and remove. */
export const createRemoteSystemOperations = <
  Entity extends string,
  Row extends RemoteSystem<Entity>,
  Sealed extends SealedRemoteSystem,
>(
  { operation, database }: Deps,
  { entity, noun, label, store, address, getSealed, ping }: RemoteSystemKind<Entity, Row, Sealed>,
) => {
  const versioned = { id: idOf(entity), expectedVersion };
  const example = { id: exampleId(entity), expectedVersion: 1 };
  const raises = ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'] as const;

  /** Reads a remote system with its sealed credentials, outside of a transaction; throws Fault RES_NOT_FOUND. */
  const find = (caller: Who, id: Id<Entity>): Promise<Sealed> =>
    database.read(caller.tenant, (query) => getSealed(query, caller.tenant, id));

  /** Locks a remote system of the expected version; throws Fault RES_NOT_FOUND, RES_VERSION_CONFLICT. */
  const lock = async (tx: Tx, caller: Who, id: Id<Entity>, expected: number): Promise<Row> => {
    const row = await store.getLocked(tx, caller.tenant, id);
    expectVersion(row, expected);
    return row;
  };

  const publish = (tx: Tx, caller: Who, verb: string, row: RemoteSystem<Entity>, data: object) =>
    publishEvent(tx, caller, `${noun}.${verb}`, entity, row, { ...data });

  const setDisabled = (isDisabled: boolean) => {
    const verb = isDisabled ? 'disable' : 'enable';
    return operation({
      name: `${noun}.${verb}`,
      kind: 'write',
      scope: administers,
      input: Type.Object(versioned),
      raises,
      example,
      async run(caller, { id, expectedVersion: expected }, tx) {
        await lock(tx, caller, id, expected);
        const row = await store.setDisabled(tx, caller.tenant, id, isDisabled, caller.subject);
        await publish(tx, caller, verb, row, { name: row.name });
        return row;
      },
    });
  };

  const operations = {
    list: operation({
      name: `${noun}.list`,
      kind: 'read',
      scope: reads,
      input: Type.Object({}),
      run: (caller, _input, query) => store.list(query, caller.tenant),
    }),

    test: operation({
      name: `${noun}.test`,
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: administers,
      input: Type.Object({ id: idOf(entity) }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId(entity) },
      async prepare(caller, { id }) {
        const sealed = await find(caller, id);
        refuse(disabledRefusal(label, sealed));
        return probeOf(await ping(caller, sealed));
      },
      async run(caller, { id }, tx, probe) {
        const row = await store.recordProbe(tx, caller.tenant, id, probe, caller.subject);
        if (!row) throw store.notFound(id);
        await publish(tx, caller, 'test', row, probe);
        return row;
      },
    }),

    disable: setDisabled(true),
    enable: setDisabled(false),

    remove: operation({
      name: `${noun}.remove`,
      kind: 'write',
      scope: administers,
      input: Type.Object(versioned),
      raises: [...raises, 'RES_CONFLICT'],
      example,
      async run(caller, { id, expectedVersion: expected }, tx) {
        const row = await lock(tx, caller, id, expected);
        refuse(usageRefusal(row.name, await store.listUsages(tx, caller.tenant, row)));
        await store.remove(tx, caller.tenant, id);
        await publish(tx, caller, 'remove', row, { name: row.name, ...address(row) });
        return row;
      },
    }),
  };
  return { operations, find, lock, tell: publish, versioned, example, raises };
};
