import type { Database } from '@landfall/kernel/db/database';
import { Fault, invalid } from '@landfall/kernel/fault';
import { isId, type TenantId } from '@landfall/kernel/ids';
import * as attestations from '../attestation/attestations.store.ts';
import type { TransparencyLog } from '../tlog/transparency-log.ts';
import { checkConsistency } from './against-log.ts';
import type { Expected } from './expected.ts';
import { conclude } from './finding.ts';
import { type BundleClaims, MalformedBundle, parseBundle } from './parse-bundle.ts';
import { parseStatement, subjectDigests } from './statement.ts';
import type { TrustSource } from './trust-source.ts';
import type { Verification } from './verification.ts';
import { inspect } from './verify-bundle.ts';
import { verifyEntry } from './verify-entry.ts';

/** What came of a request to verify, before it is recorded. */
export interface Examination {
  readonly form: 'reference' | 'bundle' | 'entry';
  readonly found: Verification;
  /** The tenant's own statement: only that moves its custody. Undefined for anything else. */
  readonly own: attestations.AttestationId | undefined;
}

export interface ExaminationDeps {
  readonly database: Database;
  readonly log: TransparencyLog;
  readonly trust: TrustSource;
}

type Stored = attestations.WholeAttestation;

/** What the statement has to say by what was recorded with the deed. */
const expectedOf = (stored: Stored | undefined): Expected => {
  const statement = stored && parseStatement(stored.payload);
  return statement
    ? {
        subjectDigests: subjectDigests(statement),
        predicateType: statement.predicateType,
        predicate: statement.predicate ?? {},
        isTimestamped: stored?.timestampToken !== null,
      }
    : {};
};

/** Both count: what the caller expects, and what was recorded. */
const both = (recorded: Expected, asked: Expected): Expected => ({
  ...recorded,
  ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)),
});

const notFound = (what: string): Fault => new Fault('RES_NOT_FOUND', what);

const readBundle = (text: string): BundleClaims => {
  try {
    return parseBundle(text);
  } catch (error) {
    if (!(error instanceof MalformedBundle)) throw error;
    throw invalid([
      { field: 'bundle', message: `is no Sigstore bundle: ${error.message}`, code: 'VAL_INVALID_FORMAT' },
    ]);
  }
};

const isOwn = (stored: Stored | undefined, { payload, signatures }: BundleClaims): stored is Stored =>
  stored?.signature !== undefined &&
  stored.signature !== null &&
  stored.payload.equals(payload) &&
  signatures.length === 1 &&
  signatures.every(({ bytes }) => stored.signature?.equals(bytes));

/** Looks at what somebody asks to have verified. It writes nothing, and holds no transaction while the log is asked. */
export const createExamination = ({ database, log, trust }: ExaminationDeps) => {
  /** The recorded deed that a statement names, if it is this tenant's. */
  const findRecorded = (tenant: TenantId, { entries, payload }: BundleClaims): Promise<Stored | undefined> =>
    database.read(tenant, async (query) => {
      const [entry] = entries;
      const atIndex = entry && (await attestations.findByLogIndex(query, tenant, entry.index));
      if (atIndex?.payload.equals(payload)) return atIndex;
      const named = parseStatement(payload)?.predicate?.deploymentId;
      if (typeof named !== 'string' || !isId(named, 'Deployment')) return undefined;
      const found = await attestations.findBySubject(query, tenant, 'deployment', named);
      return found && attestations.find(query, tenant, found.id);
    });

  const verifyOnline = async (claims: BundleClaims, expected: Expected): Promise<Verification> => {
    const trusted = await trust.current();
    const { findings, tree, ...rest } = inspect(claims, trusted, expected);
    const consistency = tree ? await checkConsistency(log, tree, trusted) : findings.consistency;
    return conclude({ ...findings, consistency }, rest);
  };

  return {
    /** @throws Fault RES_NOT_FOUND for a reference that is not there, is not yet, or is another tenant's */
    async ofReference(tenant: TenantId, ref: attestations.AttestationId, asked: Expected): Promise<Examination> {
      const stored = await database.read(tenant, (query) => attestations.find(query, tenant, ref));
      if (!stored?.bundle) throw notFound(`There is no attestation ${ref}.`);
      const claims = readBundle(stored.bundle);
      const found = await verifyOnline(claims, both(expectedOf(stored), asked));
      return { form: 'reference', found, own: stored.id };
    },

    /** @throws Fault VAL_INVALID_FORMAT */
    async ofBundle(tenant: TenantId, text: string, asked: Expected): Promise<Examination> {
      const claims = readBundle(text);
      const stored = await findRecorded(tenant, claims);
      const found = await verifyOnline(claims, both(expectedOf(stored), asked));
      return { form: 'bundle', found, own: isOwn(stored, claims) ? stored.id : undefined };
    },

    /** @throws Fault RES_NOT_FOUND for an index beyond the tree */
    async ofEntry(
      tenant: TenantId,
      { logIndex, bodyHash }: { readonly logIndex: number; readonly bodyHash: string },
      asked: Expected,
    ): Promise<Examination> {
      const entry = await log.find(logIndex);
      if (!entry) throw notFound(`The log has no entry ${logIndex}.`);
      const stored = await database.read(tenant, (query) => attestations.findByLogIndex(query, tenant, logIndex));
      const trusted = await trust.current();
      // The log has no timestamps, so none can be missed there.
      const expected = { ...both(expectedOf(stored), asked), isTimestamped: false };
      const found = verifyEntry({ entry, bodyHash, payload: stored?.payload }, trusted, expected);
      return { form: 'entry', found, own: stored?.id };
    },
  };
};
