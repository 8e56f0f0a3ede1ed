import type { FaultCode } from '@landfall/schema/codes';
import type { Static, TSchema } from 'typebox';
import { type Caller, type CallerKind, hasTenant, type Who } from '../core/caller.ts';
import { inOperation } from '../core/connection-use.ts';
import { createFairQueue } from '../core/fair-queue.ts';
import { Fault } from '../core/fault.ts';
import type { Secrets } from '../crypto/secrets.ts';
import type { Database } from '../db/database.ts';
import { entitiesOf, type Query, type Tx } from '../db/query.ts';
import { namesOf } from '../events/write.ts';
import { isRevoked, tokenRevoked } from '../identity/denylist.ts';
import { type Claim, createIdempotency } from './idempotency.ts';
import { parser } from './input.ts';

/** Description of an operation. REST, GraphQL, the tenant matrix, docs and `viewerCan…` fields read it. */
export interface OperationSpec {
  /** `noun.verb`, as in the audit trail: `promotion.approve`. */
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** Any one of these scopes suffices; an empty list asks for none. */
  readonly scope: readonly string[];
  /** Kinds of callers; people and clients unless given. */
  readonly callers: readonly CallerKind[];
  readonly input: TSchema;
  /** Its own codes; every operation may also raise AUTH_*, PERM_SCOPE_DENIED, VAL_* and SYS_*. */
  readonly raises: readonly FaultCode[];
  /** Cost of a call to its caller's budget, the weight of the SDL; most calls are too cheap to have one. */
  readonly cost?: number;
  /** Whether it waits for a party outside the product, so that its queue is not shared between tenants. */
  readonly isRemote?: true;
  /** An input that reaches the existence check: the tenant matrix sends it as another tenant. */
  readonly example: unknown;
}

/** Use case that REST and GraphQL call alike: `(caller, input) → value`. */
export interface Operation<Value> {
  (caller: Caller, input: unknown, options?: CallOptions): Promise<Value>;
  readonly spec: OperationSpec;
}

export interface CallOptions {
  /** REST's `Idempotency-Key`; in the graph it is a field of the input. */
  readonly idempotencyKey?: string | undefined;
}

interface Definition<S extends TSchema> {
  readonly name: string;
  readonly scope: readonly string[];
  readonly callers?: readonly CallerKind[];
  readonly input: S;
  /** None unless given. */
  readonly raises?: readonly FaultCode[];
  readonly cost?: number;
  readonly isRemote?: true;
  /** An input without fields unless given. */
  readonly example?: unknown;
}

interface ReadDefinition<S extends TSchema, Value> extends Definition<S> {
  readonly kind: 'read';
  readonly isDetached?: undefined;
  run(caller: Who, input: Static<S>, query: Query): Promise<Value>;
}

/** A read that calls another service before the database, or instead: it holds no connection while it waits. */
interface DetachedReadDefinition<S extends TSchema, Value> extends Definition<S> {
  readonly kind: 'read';
  readonly isDetached: true;
  /** Stated always: 0 where it only waits for the product itself, or is bounded in another way. */
  readonly cost: number;
  run(caller: Who, input: Static<S>): Promise<Value>;
}

interface WriteDefinition<S extends TSchema, Value> extends Definition<S> {
  readonly kind: 'write';
  readonly prepare?: undefined;
  /** Whether a machine calls it periodically; such a write records an event only when it changed something. */
  readonly isBeat?: true;
  run(caller: Who, input: Static<S>, tx: Tx): Promise<Value>;
}

/** A write that calls the network first: `prepare` runs before the transaction, without a connection. */
interface PreparedWriteDefinition<S extends TSchema, Value, Prepared> extends Definition<S> {
  readonly kind: 'write';
  readonly isBeat?: true;
  /** Stated always: 0 where it only waits for the product itself, or is bounded in another way. */
  readonly cost: number;
  prepare(caller: Who, input: Static<S>): Promise<Prepared>;
  run(caller: Who, input: Static<S>, tx: Tx, prepared: Prepared): Promise<Value>;
  /** Runs once what `run` wrote is committed, for what is kept outside of the database; not for a stored answer. */
  committed?(caller: Who, prepared: Prepared): void;
}

/** Rules of a module about its callers beyond the kernel's: a refusal of its own, another claim for the tenant. */
export type CallerReader = (caller: Caller, spec: Pick<OperationSpec, 'scope' | 'kind'>) => Caller;

/** Factory of operations over one database. */
export interface OperationMaker {
  /** Returns a maker of operations whose callers are read by `reader`, after the readers of this maker. */
  reading(reader: CallerReader): OperationMaker;
  <S extends TSchema, Value>(definition: ReadDefinition<S, Value>): Operation<Value>;
  <S extends TSchema, Value>(definition: DetachedReadDefinition<S, Value>): Operation<Value>;
  <S extends TSchema, Value>(definition: WriteDefinition<S, Value>): Operation<Value>;
  <S extends TSchema, Value, Prepared>(definition: PreparedWriteDefinition<S, Value, Prepared>): Operation<Value>;
}

type AnyDefinition<S extends TSchema, Value, Prepared> =
  | ReadDefinition<S, Value>
  | DetachedReadDefinition<S, Value>
  | WriteDefinition<S, Value>
  | PreparedWriteDefinition<S, Value, Prepared>;

/** Concurrent calls of an operation with a cost, in each process: tenants take turns in its queue. */
const COSTLY = { atOnce: 8, each: 4, waitMs: 15_000 };
/** Limits of operations that wait for the network, per tenant: a slow remote party delays only its own tenant. */
const REMOTE = { each: 16, waitMs: 15_000 };

const PEOPLE_AND_CLIENTS: readonly CallerKind[] = ['user', 'client'];

/**
 * Checks that `caller` may call `spec` and has a tenant.
 * @throws Fault AUTH_* or PERM_*
 */
export const admit = (caller: Caller, spec: Pick<OperationSpec, 'name' | 'scope' | 'callers'>): Who => {
  if (!spec.callers.includes(caller.kind))
    throw new Fault('PERM_DENIED', `${spec.name} is not for callers of kind ${caller.kind}.`, { kind: caller.kind });
  if (spec.scope.length > 0 && !spec.scope.some((scope) => caller.scopes.has(scope)))
    throw new Fault('PERM_SCOPE_DENIED', `Missing required scope: ${spec.scope.join(' or ')}`, { anyOf: spec.scope });
  if (!hasTenant(caller)) throw new Fault('PERM_DENIED', 'The token names no tenant (claim svc:tenant).');
  return caller;
};

/** Separates the idempotency key, which belongs to the request, from the operation's input. */
const splitKey = (raw: unknown, options: CallOptions | undefined): { input: unknown; key: string | undefined } => {
  if (typeof raw !== 'object' || raw === null || !('idempotencyKey' in raw))
    return { input: raw, key: options?.idempotencyKey };
  const { idempotencyKey, ...input } = raw;
  return { input, key: typeof idempotencyKey === 'string' ? idempotencyKey : options?.idempotencyKey };
};

/** @throws Fault AUTH_TOKEN_REVOKED */
const refuseRevoked = async (query: Query, caller: Who): Promise<void> => {
  if (caller.tokenId !== undefined && (await isRevoked(query, namesOf(caller)))) throw tokenRevoked();
};

export const createOperations = (database: Database, secrets: Secrets): OperationMaker => {
  const idempotency = createIdempotency(secrets);

  const created = <S extends TSchema, Value, Prepared>(
    definition: AnyDefinition<S, Value, Prepared>,
    reader: CallerReader,
  ): Operation<Value> => {
    const { run: _run, ...input } = definition;
    const spec: OperationSpec = { callers: PEOPLE_AND_CLIENTS, raises: [], example: {}, ...input };
    const parse = parser(definition.input);
    const queue = definition.cost ? createFairQueue(definition.isRemote ? REMOTE : COSTLY) : undefined;
    const isHeartbeat = definition.kind === 'write' && 'isBeat' in definition;
    /** Asserts the type of a stored answer: an operation's answers are stored under its name only. */
    const isValue = (_value: unknown): _value is Value => true;

    const replay = async (query: Query, caller: Who, claim: Claim): Promise<{ value: Value } | undefined> => {
      const stored = await idempotency.find(query, caller, claim);
      return stored && isValue(stored.value) ? { value: stored.value } : undefined;
    };

    const runWithEvent = async (tx: Tx, run: (tx: Tx) => Promise<Value>): Promise<Value> => {
      const value = await run(tx);
      if (!isHeartbeat && entitiesOf(tx).size === 0) throw new TypeError(`${spec.name} wrote no event`);
      return value;
    };

    /** Runs once for each idempotency key; a second call gets the answer of the first. */
    const runOnce = async (tx: Tx, caller: Who, claim: Claim, run: (tx: Tx) => Promise<Value>): Promise<Value> => {
      if (await idempotency.reserve(tx, caller, claim)) {
        const value = await runWithEvent(tx, run);
        await idempotency.keep(tx, caller, claim, value);
        return value;
      }
      const stored = await replay(tx, caller, claim);
      if (!stored) throw new TypeError(`${spec.name}: an idempotency key is taken but has no answer`);
      return stored.value;
    };

    const write = (caller: Who, claim: Claim | undefined, run: (tx: Tx) => Promise<Value>): Promise<Value> =>
      database.write(caller.tenant, async (tx) => {
        // An event reads the denylist itself. A heartbeat may write no event, and a replayed answer writes none again.
        if (isHeartbeat || claim) await refuseRevoked(tx, caller);
        return claim ? runOnce(tx, caller, claim, run) : runWithEvent(tx, run);
      });

    const perform = async (caller: Who, claim: Claim | undefined, run: (tx: Tx) => Promise<Value>): Promise<Value> => {
      try {
        return await write(caller, claim, run);
      } catch (error) {
        // A revoked token always gets that refusal, also where another refusal came before the event.
        if (error instanceof Fault && error.status < 500)
          await database.read(caller.tenant, (query) => refuseRevoked(query, caller));
        throw error;
      }
    };

    const answer = async (caller: Who, input: Static<S>, key: string | undefined): Promise<Value> => {
      if (definition.kind === 'read') {
        if (definition.isDetached) return definition.run(caller, input);
        return database.read(caller.tenant, (query) => definition.run(caller, input, query));
      }
      const claim = key === undefined ? undefined : idempotency.claim(spec.name, key, input);
      const { prepare } = definition;
      if (!prepare) return perform(caller, claim, (tx) => definition.run(caller, input, tx));
      const stored = await database.read(caller.tenant, async (query) => {
        await refuseRevoked(query, caller);
        return claim && replay(query, caller, claim);
      });
      if (stored) return stored.value;
      const prepared = await prepare(caller, input);
      let hasRun = false;
      const value = await perform(caller, claim, (tx) => {
        hasRun = true;
        return definition.run(caller, input, tx, prepared);
      });
      if (hasRun) definition.committed?.(caller, prepared);
      return value;
    };

    const call = async (caller: Caller, raw: unknown, options?: CallOptions): Promise<Value> => {
      const actor = admit(reader(caller, spec), spec);
      const { input: value, key } = splitKey(raw, options);
      const input = parse(value);
      return queue ? queue.run(actor.tenant, () => answer(actor, input, key)) : answer(actor, input, key);
    };
    const byName = (caller: Caller, raw: unknown, options?: CallOptions): Promise<Value> =>
      inOperation(spec.name, () => call(caller, raw, options));
    return Object.assign(byName, { spec });
  };

  const operationMaker = (reader: CallerReader): OperationMaker =>
    Object.assign(
      <S extends TSchema, Value, Prepared>(definition: AnyDefinition<S, Value, Prepared>): Operation<Value> =>
        created(definition, reader),
      { reading: (next: CallerReader) => operationMaker((caller, spec) => next(reader(caller, spec), spec)) },
    );
  return operationMaker((caller) => caller);
};
