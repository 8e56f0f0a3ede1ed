import { Fault, invalid } from '@landfall/kernel/core/fault';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { oneOf, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import type { AnchoredNow } from '../kits/import-requests.ts';
import { AIRGAP_READ, AIRGAP_SEAL } from '../shared/scopes.ts';
import * as store from './mirror-sources.store.ts';

const name = patterned(
  '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  'may have only letters, digits, dots, underscores and hyphens, and begins with a letter or digit',
  { maxLength: 64 },
);

/** Outcome of an import that is to begin again. */
const NO_OUTCOME = { startedAt: null, finishedAt: null, errorCode: null, errorMessage: null } as const;

interface RequestDeps extends Pick<Deps, 'operation'> {
  readonly importNow: AnchoredNow;
}

/** Creates the operations on mirrors of advisory sources, which a worker imports. */
export const createMirrorImports = ({ operation, importNow }: RequestDeps) => ({
  request: operation({
    name: 'mirror.import',
    kind: 'write',
    scope: AIRGAP_SEAL,
    input: Type.Object({
      sourceId: name,
      /** Folder or archive below the directory of mirrors; named like the source unless given. */
      folder: Type.Optional(name),
      kind: Type.Optional(oneOf(...store.MIRROR_KINDS)),
      /** Registered VEX source of the documents, for mirrors of VEX. */
      vexSource: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    }),
    raises: ['airgap_anchor_unusable'],
    cost: 0,
    example: { sourceId: 'osv' },
    // A sealed site without a usable anchor imports nothing.
    prepare: ({ tenant }) => importNow(tenant),
    async run(who, { sourceId, folder = sourceId, kind = 'feeds', vexSource = null }, tx) {
      const { tenant, subject, clientId } = who;
      if (kind === 'vex' && vexSource === null)
        throw invalid([{ field: 'vexSource', message: 'is required for VEX', code: 'VAL_REQUIRED_FIELD' }]);
      const request = {
        kind,
        folder,
        vexSource,
        requestedBy: subject,
        requestedThrough: clientId,
        state: 'queued',
      } as const;
      const source = (await store.find(tx, tenant, sourceId))
        ? await store.update(tx, tenant, sourceId, { ...request, ...NO_OUTCOME })
        : await store.insert(tx, tenant, { sourceId, ...request });
      const { version } = source;
      await event(tx, who, 'mirror.requestImport', { entity: 'MirrorSource', id: sourceId, version, data: { kind } });
      return source;
    },
  }),

  list: operation({
    name: 'mirror.list',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({}),
    run: ({ tenant }, _input, query) => store.list(query, tenant),
  }),

  /** Newest import of a source, or of all sources. */
  status: operation({
    name: 'mirror.status',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({ sourceId: Type.Optional(name) }),
    raises: ['RES_NOT_FOUND'],
    example: { sourceId: 'osv' },
    async run({ tenant }, { sourceId }, query) {
      if (sourceId !== undefined) return store.get(query, tenant, sourceId);
      const newest = await store.findNewest(query, tenant);
      if (newest) return newest;
      throw new Fault('RES_NOT_FOUND', 'No mirror was imported yet.');
    },
  }),
});
