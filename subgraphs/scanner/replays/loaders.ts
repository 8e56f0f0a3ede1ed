import type { Caller } from '@landfall/kernel/core/caller';
import { refuseWhileConnected } from '@landfall/kernel/core/connection-use';
import { type Id, isId, type TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';
import DataLoader from 'dataloader';
import type { Manifests } from '../manifests/manifests.ts';
import { listFreezes, listManifests } from '../manifests/manifests.ts';
import { listProofs, type Proofs } from './proofs.ts';
import { listReplays, type Replays } from './replays.ts';

type ScanId = Id<'Scan'>;

type ListByScans<Row> = (query: Query, tenant: TenantId, scanIds: readonly ScanId[]) => Promise<readonly Row[]>;

interface LoaderServices {
  readonly manifests: Manifests;
  readonly proofs: Proofs;
  readonly replays: Replays;
}

/** Creates the loaders of one request: what belongs to scans, for all scans of an answer by one statement. */
export const createLoaders = (database: Database, caller: Caller, { manifests, proofs, replays }: LoaderServices) => {
  /** Loader of the rows of a scan, which admits the caller by a read's specification. */
  const ofScan = <Row extends { readonly scanId: ScanId }>(
    { spec }: { readonly spec: OperationSpec },
    list: ListByScans<Row>,
  ) => {
    const loader = new DataLoader<ScanId, readonly Row[]>(
      async (asked) => {
        const { tenant } = admit(caller, spec);
        const ids = asked.filter((id) => isId(id, 'Scan'));
        const rows = await database.read(tenant, (query) => list(query, tenant, ids));
        const byScan = Map.groupBy<ScanId, Row>(rows, ({ scanId }) => scanId);
        return asked.map((id) => byScan.get(id) ?? []);
      },
      { cache: false },
    );
    return (id: ScanId): Promise<readonly Row[]> => {
      refuseWhileConnected(`the loader of ${spec.name}`);
      return loader.load(id);
    };
  };

  return {
    manifests: ofScan(manifests.get, listManifests),
    freezes: ofScan(manifests.scoreHistory, listFreezes),
    proofs: ofScan(proofs.list, listProofs),
    replays: ofScan(replays.history, listReplays),
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
