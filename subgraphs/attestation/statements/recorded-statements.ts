import { isId, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Expected } from '../bundle/expected-statement.ts';
import { parseStatement, type Statement } from '../signature/statement.ts';
import * as attestations from './attestations.store.ts';

export type Stored = attestations.WholeAttestation;

/** Subjects and landing of a statement according to its module's rows, independent of the statement itself. */
type RecordedFacts = Pick<Expected, 'subjectDigests' | 'landing'>;

export type ReadFacts = (query: Query, tenant: TenantId, stored: Stored) => Promise<RecordedFacts>;

/** Statement of the tenant, and what it must say according to the rows about its subject. */
export interface Recorded {
  readonly stored: Stored;
  readonly expected: Expected;
}

export interface LogPosition {
  readonly origin: string;
  readonly index: number;
}

/** Creates the reader of statements with the rows that they must agree with (proofs 6.6). */
export const createRecordedStatements = (readFacts: ReadFacts) => {
  const read = async (query: Query, tenant: TenantId, stored: Stored): Promise<Recorded> => ({
    stored,
    expected: {
      predicateType: stored.predicateType,
      predicate: parseStatement(stored.payload)?.predicate ?? {},
      ...(stored.kind === 'deployment' && { deploymentId: stored.subjectId }),
      isTimestamped: stored.timestampToken !== null,
      ...(await readFacts(query, tenant, stored)),
    },
  });

  return {
    read,

    /** Finds the tenant's statement of this entry and payload, else of the deployment that a signed statement names. */
    async find(
      query: Query,
      tenant: TenantId,
      payload: Buffer,
      { entry, statement }: { readonly entry: LogPosition | undefined; readonly statement: Statement | undefined },
    ): Promise<Recorded | undefined> {
      const atIndex = entry && (await attestations.findByLogIndex(query, tenant, entry));
      if (atIndex?.payload.equals(payload)) return read(query, tenant, atIndex);
      const named = statement?.predicate?.deploymentId;
      if (typeof named !== 'string' || !isId(named, 'Deployment')) return undefined;
      const found = await attestations.findBySubject(query, tenant, 'deployment', named);
      const stored = found && (await attestations.find(query, tenant, found.id));
      return stored && read(query, tenant, stored);
    },
  };
};
