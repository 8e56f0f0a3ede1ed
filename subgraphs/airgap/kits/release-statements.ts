import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Ids, toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import { type createAttestationChecks, invalid, readTrust } from './attestation-checks.ts';
import { type CarriedFacts, carriedFacts, environmentIn, listProblem } from './carried-statement.ts';
import * as store from './carried-statements.store.ts';
import type { ImportRun } from './import-run.ts';
import type { KitComponent } from './manifest.ts';
import { paths, type ReleaseDocument } from './release-document.ts';

/** Verified statement of a kit. */
interface VerifiedStatement {
  readonly facts: CarriedFacts;
  readonly environment: string | null;
  readonly text: string;
}

interface Given {
  readonly components: readonly Pick<KitComponent, 'path' | 'kind'>[];
  readonly release: ReleaseDocument;
  /** Digests of the manifests of all images. */
  readonly subjects: ReadonlySet<string>;
  /** Text of a file of the kit. */
  read(path: string): Promise<string>;
}

const recordImport = eventsOf('KitImport');

/**
 * Verifies the platform's statements in a kit under its trust document. All must be about exactly this release, and its
 * lists must name the approvals and the decisions of gates, no more and no fewer.
 * @throws Fault kit_attestation_invalid
 */
export const verifyStatements = async (
  checks: Pick<ReturnType<typeof createAttestationChecks>, 'statement'>,
  { components, release, subjects, read }: Given,
): Promise<readonly VerifiedStatement[]> => {
  const files = components.filter(({ kind }) => kind === 'attestation');
  const found = new Map<string, Omit<VerifiedStatement, 'environment'>>();
  const names = new Map<string, string>();
  if (files.length > 0) {
    const trust = readTrust(await read(paths.trust));
    for (const { path } of files) {
      const { statement, text } = await checks.statement(path, () => read(path), { trust, subjects });
      const facts = carriedFacts(statement, release);
      if (typeof facts === 'string') throw invalid(path, facts);
      found.set(path, { facts, text });
      const environment = environmentIn(statement);
      if (environment) names.set(environment.id, environment.name);
    }
  }
  const problem = listProblem(release, new Map([...found].map(([path, { facts }]) => [path, facts])));
  if (problem !== undefined) throw new Fault('kit_attestation_invalid', `${paths.release} does not fit: ${problem}.`);
  return [...found.values()].map(({ facts, text }) => ({
    ...{ facts, text },
    environment: facts.environmentId && (names.get(facts.environmentId) ?? facts.environmentId),
  }));
};

interface Kept {
  readonly run: Pick<ImportRun, 'row'>;
  readonly releaseId: string;
  readonly statements: readonly VerifiedStatement[];
}

/** Keeps the statements of a release, and announces each as evidence. */
export const keepStatements = async (
  tx: Tx,
  caller: Who,
  ids: Ids,
  { run, releaseId, statements }: Kept,
): Promise<void> => {
  for (const { facts, environment, text } of statements) {
    const { environmentId: _, approvals, ...rest } = facts;
    const row = {
      ...rest,
      id: toId(ids.uuid(), 'KitStatement'),
      releaseId: toId(releaseId, 'Release'),
      kitDigest: run.row.kitDigest,
      environment,
      approvals: [...approvals],
      bundle: text,
      digest: sha256(text),
    };
    if (!(await store.insertIfAbsent(tx, caller.tenant, row))) continue;
    await recordImport(tx, caller, 'kit.carryStatement', run.row, { statementId: row.id, releaseId, kind: facts.kind });
  }
};
