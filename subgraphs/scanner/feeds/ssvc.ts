import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { SCANS_READ } from '../shared/scopes.ts';
import * as store from './ssvc.store.ts';

export type { SsvcPoints } from './ssvc.store.ts';

/** Creates the operation that reads CISA's decision points of vulnerabilities. They have no part in a score. */
export const createSsvc = ({ operation }: Pick<Deps, 'operation'>) => ({
  list: operation({
    name: 'ssvc.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ ids: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20_000 }) }),
    example: { ids: ['CVE-2026-1000'] },
    run: (_who, { ids }, query) => store.list(query, ids),
  }),
});

export type Ssvc = ReturnType<typeof createSsvc>;
