import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { oneOf, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { readPublicKey } from './public-key.ts';
import * as store from './vex-sources.store.ts';

const record = eventsOf('VexSource');

const sourceName = patterned(
  '^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$',
  'may have only lower-case letters, digits, dots, underscores and hyphens, and begins and ends with a letter or digit',
  { maxLength: 64 },
);
const rank = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const trust = oneOf(...store.SOURCE_TRUSTS);
const publicKey = Type.String({ minLength: 1, maxLength: 8_192 });

type Trust = store.VexSource['trust'];
type Key = Pick<store.VexSource, 'publicKey' | 'keyId'>;

const NO_KEY: Key = { publicKey: null, keyId: null };

/** Key of a source with a trust policy, which only `signed` has. @throws Fault VAL_* naming the field publicKey */
const keyFor = (wanted: Trust, pem: string | undefined, known: Key): Key => {
  if (wanted === 'signed') {
    const key = pem === undefined ? { publicKey: known.publicKey, keyId: known.keyId } : readPublicKey(pem);
    if (key.publicKey !== null) return key;
    throw invalid([
      { field: 'publicKey', message: 'is required where the trust is signed', code: 'VAL_REQUIRED_FIELD' },
    ]);
  }
  if (pem === undefined) return NO_KEY;
  throw invalid([
    { field: 'publicKey', message: `has no place where the trust is ${wanted}`, code: 'VAL_INVALID_VALUE' },
  ]);
};

const dataOf = ({ name, rank: order, trust: policy, keyId }: store.VexSource) => ({
  name,
  rank: order,
  trust: policy,
  ...(keyId === null ? {} : { keyId }),
});

/** Creates the operations on registered sources of VEX documents. */
export const createVexSources = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  list: operation({
    name: 'vexSource.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({}),
    run: ({ tenant }, _input, query) => store.list(query, tenant),
  }),

  get: operation({
    name: 'vexSource.get',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ id: idOf('VexSource') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('VexSource') },
    run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
  }),

  create: operation({
    name: 'vexSource.create',
    kind: 'write',
    scope: SCANS_WRITE,
    input: Type.Object({ name: sourceName, rank, trust, publicKey: Type.Optional(publicKey) }),
    raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
    example: { name: 'supplier', rank: 20, trust: 'trusted' },
    async run(who, { publicKey: pem, ...input }, tx) {
      const key = keyFor(input.trust, pem, NO_KEY);
      const known = await store.list(tx, who.tenant);
      if (known.some(({ name }) => name === input.name))
        throw new Fault('RES_ALREADY_EXISTS', `There is a VEX source ${input.name} already.`, { name: input.name });
      if (known.length >= store.MAX_SOURCES)
        throw new Fault('RES_CONFLICT', `${store.MAX_SOURCES} VEX sources are registered already. Remove one first.`);
      const row = { id: toId(ids.uuid(), 'VexSource'), ...input, ...key, createdBy: who.subject };
      const source = await store.insertIfAbsent(tx, who.tenant, row);
      if (!source) throw new Fault('RES_ALREADY_EXISTS', `There is a VEX source ${input.name} already.`);
      await record(tx, who, 'vexSource.create', source, dataOf(source));
      return source;
    },
  }),

  update: operation({
    name: 'vexSource.update',
    kind: 'write',
    scope: SCANS_WRITE,
    input: Type.Object({
      id: idOf('VexSource'),
      rank: Type.Optional(rank),
      trust: Type.Optional(trust),
      publicKey: Type.Optional(publicKey),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('VexSource'), rank: 30 },
    async run(who, { id, publicKey: pem, ...changes }, tx) {
      const known = await store.getLocked(tx, who.tenant, id);
      const next = { rank: changes.rank ?? known.rank, trust: changes.trust ?? known.trust };
      const source = await store.update(tx, who.tenant, id, { ...next, ...keyFor(next.trust, pem, known) });
      await record(tx, who, 'vexSource.update', source, dataOf(source));
      return source;
    },
  }),

  /** Takes the documents of a source out of force. Frozen scans keep what they pinned. */
  remove: operation({
    name: 'vexSource.remove',
    kind: 'write',
    scope: SCANS_WRITE,
    input: Type.Object({ id: idOf('VexSource') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('VexSource') },
    async run(who, { id }, tx) {
      await store.getLocked(tx, who.tenant, id);
      const source = await store.update(tx, who.tenant, id, { removedAt: sql`kernel.now()` });
      await record(tx, who, 'vexSource.remove', source, { name: source.name });
      return source;
    },
  }),
});

export type VexSources = ReturnType<typeof createVexSources>;
