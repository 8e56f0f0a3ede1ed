import { Fault, invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import type { Expected } from '../bundle/expected-statement.ts';
import { conclude, type Finding, type Findings, failed, stoppedAt } from '../bundle/finding.ts';
import { checkConsistency, forkFinding } from '../bundle/log-consistency.ts';
import { type BundleClaims, MalformedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import type { Trust } from '../bundle/trust.ts';
import type { TrustSource } from '../bundle/trust-source.ts';
import type { Verification } from '../bundle/verification.ts';
import { type Inspection, inspect, signedStatement } from '../bundle/verify-bundle.ts';
import { verifyEntry } from '../bundle/verify-entry.ts';
import type { TransparencyLog } from '../log/transparency-log.ts';
import * as attestations from './attestations.store.ts';
import {
  createRecordedStatements,
  type LogPosition,
  type ReadFacts,
  type Recorded,
  type Stored,
} from './recorded-statements.ts';

/** Result of a verification request, before it is recorded. */
export interface Examination {
  readonly form: 'reference' | 'bundle' | 'entry';
  readonly found: Verification;
  /** Tenant's own statement, whose custody the result changes; undefined for anything else. */
  readonly own: attestations.AttestationId | undefined;
  /**
   * First failed check of the tenant's own stored statement, apart from the caller's expectations: it removes the proof
   * from custody. Undefined if no check failed, or one could not be made.
   */
  readonly refutation: string | undefined;
}

interface ExaminationDeps {
  readonly database: Database;
  readonly log: TransparencyLog;
  readonly trust: TrustSource;
  readonly readFacts: ReadFacts;
}

/** Log entry to verify. */
interface RequestedEntry {
  readonly logIndex: number;
  readonly bodyHash: string;
}

/** Merges what the caller expects with what was recorded; both must hold. */
const both = (recorded: Expected, expected: Expected): Expected => ({
  ...recorded,
  ...Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
});

const notFound = (name: string): Fault => new Fault('RES_NOT_FOUND', name);

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

/** Parses a stored bundle; an unreadable one gives the same finding for every kind of request. */
const readStored = (text: string): BundleClaims | Finding => {
  try {
    return parseBundle(text);
  } catch (error) {
    if (!(error instanceof MalformedBundle)) throw error;
    return failed('bundle-malformed', `what is stored is no Sigstore bundle: ${error.message}`);
  }
};

const isExpecting = (expected: Expected): boolean => Object.values(expected).some((each) => each !== undefined);

const refutationOf = (findings: Findings): string | undefined => {
  const { checks, errorMessage } = conclude(findings);
  return Object.values(checks).includes('fail') ? errorMessage : undefined;
};

/** Findings about the tenant's stored statement, and the one that refutes it. */
interface StoredInspection extends Pick<Inspection, 'findings' | 'log' | 'signedAt'> {
  readonly refutation: string | undefined;
  /** Hash of its entry's body; undefined if it has no entry. */
  readonly bodyHash: string | undefined;
}

const unreadable = (finding: Finding): StoredInspection => {
  const findings = stoppedAt('signature', finding);
  return { findings, refutation: refutationOf(findings), bodyHash: undefined, log: undefined, signedAt: undefined };
};

const isOwn = (stored: Stored | undefined, { payload, signatures }: BundleClaims): stored is Stored =>
  stored?.signature !== undefined &&
  stored.signature !== null &&
  stored.payload.equals(payload) &&
  signatures.length === 1 &&
  signatures.every(({ bytes }) => stored.signature?.equals(bytes));

/** Index that the bundle claims in a log of the platform; undefined for any other log. */
const positionOf = ({ entries }: BundleClaims, { logKeys }: Trust): LogPosition | undefined => {
  const [entry] = entries;
  const key = entry && logKeys.find(({ keyId }) => keyId.equals(entry.logId));
  return key && { origin: key.origin, index: entry.index };
};

/** Creates the examination of statements, bundles and entries. It asks the log outside of transactions. */
export const createExamination = ({ database, log, trust, readFacts }: ExaminationDeps) => {
  const statements = createRecordedStatements(readFacts);

  const verifyOnline = async (claims: BundleClaims, trusted: Trust, expected: Expected): Promise<Inspection> => {
    const inspection = inspect(claims, trusted, expected);
    const { findings, tree } = inspection;
    const consistency = tree ? await checkConsistency(log, tree, trusted) : findings.consistency;
    return { ...inspection, findings: { ...findings, consistency } };
  };

  /** Examines the tenant's own statement by its stored bundle. */
  const examineStored = async (
    bundle: string,
    { expected }: Recorded,
    expectation: Expected,
  ): Promise<StoredInspection> => {
    const claims = readStored(bundle);
    if ('result' in claims) return unreadable(claims);
    const trusted = await trust.current();
    const found = await verifyOnline(claims, trusted, expected);
    const [entry] = claims.entries;
    const own = { refutation: refutationOf(found.findings), bodyHash: entry && sha256(entry.body) };
    if (own.refutation !== undefined || !isExpecting(expectation)) return { ...found, ...own };
    const { findings, ...rest } = inspect(claims, trusted, both(expected, expectation));
    return { ...rest, ...own, findings: { ...findings, consistency: found.findings.consistency } };
  };

  /** Examines an entry that belongs to no statement of the tenant, by the log alone. */
  const examineForeign = async ({ logIndex, bodyHash }: RequestedEntry, expected: Expected): Promise<Verification> => {
    const entry = await log.find(logIndex).catch(forkFinding);
    if (!entry) throw notFound(`The log has no entry ${logIndex}.`);
    if ('result' in entry) return conclude(stoppedAt('inclusion', entry));
    return verifyEntry({ entry, bodyHash, payload: undefined }, await trust.current(), expected);
  };

  return {
    /** Examines a statement by reference. Throws RES_NOT_FOUND for an unknown, future or another tenant's reference. */
    async ofReference(tenant: TenantId, ref: attestations.AttestationId, expected: Expected): Promise<Examination> {
      const recorded = await database.read(tenant, async (query) => {
        const stored = await attestations.find(query, tenant, ref);
        return stored && statements.read(query, tenant, stored);
      });
      if (!recorded?.stored.bundle) throw notFound(`There is no attestation ${ref}.`);
      const { findings, refutation, ...rest } = await examineStored(recorded.stored.bundle, recorded, expected);
      return { form: 'reference', found: conclude(findings, rest), own: recorded.stored.id, refutation };
    },

    /** Examines a bundle. Throws Fault VAL_INVALID_FORMAT if it is malformed. */
    async ofBundle(tenant: TenantId, text: string, expected: Expected): Promise<Examination> {
      const claims = readBundle(text);
      const trusted = await trust.current();
      const named = { entry: positionOf(claims, trusted), statement: signedStatement(claims, trusted) };
      const recorded = await database.read(tenant, (query) => statements.find(query, tenant, claims.payload, named));
      const { findings, ...rest } = await verifyOnline(claims, trusted, both(recorded?.expected ?? {}, expected));
      const own = isOwn(recorded?.stored, claims) ? recorded?.stored.id : undefined;
      // A submitted bundle may differ from the stored one in more than its signature and payload.
      return { form: 'bundle', found: conclude(findings, rest), own, refutation: undefined };
    },

    /** Examines an entry by index, as by reference if it is the tenant's own. Throws RES_NOT_FOUND beyond the tree. */
    async ofEntry(tenant: TenantId, input: RequestedEntry, expected: Expected): Promise<Examination> {
      const { logIndex: index, bodyHash } = input;
      const { origin } = await log.identity();
      const recorded = await database.read(tenant, async (query) => {
        const stored = await attestations.findByLogIndex(query, tenant, { origin, index });
        return stored && statements.read(query, tenant, stored);
      });
      if (!recorded?.stored.bundle)
        return { form: 'entry', found: await examineForeign(input, expected), own: undefined, refutation: undefined };
      const examined = await examineStored(recorded.stored.bundle, recorded, expected);
      const { findings, refutation, bodyHash: hash } = examined;
      const differs = hash !== undefined && hash !== bodyHash;
      const body = differs ? failed('body-differs', `the entry's body has the hash ${hash}`) : findings.body;
      return { form: 'entry', found: conclude({ ...findings, body }, examined), own: recorded.stored.id, refutation };
    },
  };
};
