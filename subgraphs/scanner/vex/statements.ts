import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId, type TenantId } from '@landfall/kernel/core/ids';
import { parseDigest } from '@landfall/kernel/crypto/digest';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { patterned } from '@landfall/kernel/operation/input';
import { type Page, pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { normalizeAdvisoryId } from '../advisories/advisory-id.ts';
import { type JudgedStatement, judgeStatements, type SourcedStatement } from '../advisories/vex-ruling.ts';
import { listAliases } from '../feeds/alias-lookup.ts';
import type { VexDocument } from '../score/vex-set.ts';
import { SCANS_READ } from '../shared/scopes.ts';
import { currentDocuments, pinnedDocuments } from './document-set.ts';
import * as facts from './finding-facts.store.ts';
import { loadStatements, subjectOf } from './rulings.ts';
import * as store from './statements.store.ts';
import * as contents from './vex-contents.store.ts';
import * as documents from './vex-documents.store.ts';

/** Statement of a list, with its position for a cursor. */
export interface ListedStatement extends SourcedStatement, store.PositionKey {}

/** Cursor of a list of statements. */
export const statementCursor = ({ documentId, n }: store.PositionKey): string =>
  Buffer.from(`${documentId}/${n}`).toString('base64url');

/** @throws Fault VAL_INVALID_FORMAT for a text that is no cursor of statements */
const positionOf = (after: string | undefined): store.PositionKey | undefined => {
  if (after === undefined) return undefined;
  const [documentId = '', n = ''] = Buffer.from(after, 'base64url').toString().split('/');
  if (isId(documentId, 'VexDocument') && /^\d{1,9}$/.test(n)) return { documentId, n: Number(n) };
  throw new Fault('VAL_INVALID_FORMAT', 'This cursor is not one of ours.', undefined, [
    { field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' },
  ]);
};

/** Statements at some positions, with the registration of their sources. */
const readStatements = async (
  query: Query,
  tenant: TenantId,
  ids: readonly string[],
  positions: readonly store.StatementPosition[],
): Promise<ListedStatement[]> => {
  const digests = [...new Set(positions.map(({ digest }) => digest))];
  const rows = await contents.listAbout(query, tenant, ids, digests);
  const statements = new Map(rows.map(({ digest, n, statement }) => [`${digest} ${n}`, statement]));
  const inForce = new Map<string, VexDocument>(
    (await currentDocuments(query, tenant)).map((document) => [`${document.digest} ${document.source}`, document]),
  );
  return positions.flatMap(({ documentId, digest, source, n }) => {
    const [statement, document] = [statements.get(`${digest} ${n}`), inForce.get(`${digest} ${source}`)];
    if (!statement || !document) return [];
    const { rank, trust, digest: documentDigest } = document;
    return [{ documentId, n, source, rank, trust, statement: { ...statement, documentDigest } }];
  });
};

/** Statements about a finding that is frozen, the ruling one first. */
export interface FindingStatements {
  readonly findingId: string;
  readonly statements: readonly JudgedStatement[];
}

const findingIds = Type.Array(
  patterned('^[0-9a-f]{32}$', 'must be the id of a finding: 32 hexadecimal digits in lower case'),
  { maxItems: 200 },
);

/** Creates the operations that list VEX statements. */
export const createVexStatements = ({ operation }: Pick<Deps, 'operation'>) => ({
  /** Statements in force about a vulnerability and its aliases. */
  list: operation({
    name: 'vexStatement.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({
      ...pageFields,
      vulnerabilityId: Type.String({ minLength: 1, maxLength: contents.LONGEST_ID }),
    }),
    example: { vulnerabilityId: 'CVE-2026-1000' },
    async run({ tenant }, { vulnerabilityId, first = 50, after }, query): Promise<Page<ListedStatement>> {
      const id = normalizeAdvisoryId(vulnerabilityId);
      const ids = [id, ...(await listAliases(query, id))];
      const page = { after: positionOf(after), limit: first + 1 };
      const { items, hasNextPage } = pageOf(await store.listInForce(query, tenant, ids, page), first);
      return { items: await readStatements(query, tenant, ids, items), hasNextPage };
    },
  }),

  /** Statements of a document in force, in its order. */
  ofDocument: operation({
    name: 'vexStatement.listOfDocument',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ ...pageFields, documentId: idOf('VexDocument') }),
    raises: ['RES_NOT_FOUND'],
    example: { documentId: exampleId('VexDocument') },
    async run({ tenant }, { documentId, first = 50, after }, query): Promise<Page<ListedStatement>> {
      const { digest, source, rank, trust } = await documents.get(query, tenant, documentId);
      const page = { after: positionOf(after)?.n, limit: first + 1 };
      const { items, hasNextPage } = pageOf(await contents.listOfDocument(query, tenant, digest, page), first);
      const stated = items.map(({ n, statement }) => ({
        documentId,
        n,
        source,
        rank,
        trust,
        statement: { ...statement, documentDigest: parseDigest(digest) },
      }));
      return { items: stated, hasNextPage };
    },
  }),

  /** Statements about findings among the documents that the scan's manifest pins, with the trust that they had then. */
  ofFindings: operation({
    name: 'vexStatement.listOfFindings',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ scanId: idOf('Scan'), findingIds }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan'), findingIds: ['0'.repeat(32)] },
    async run({ tenant }, { scanId, findingIds: wanted }, query): Promise<readonly FindingStatements[]> {
      const artifact = await facts.getArtifact(query, tenant, scanId);
      const pin = await facts.findPin(query, tenant, scanId);
      if (!pin) return [];
      const findings = await facts.listSubjects(query, tenant, scanId, wanted);
      const pinned = (await pinnedDocuments(query, tenant, pin.vexSetHash)) ?? [];
      const statements = await loadStatements(query, tenant, findings, pinned);
      return findings.map((finding) => ({
        findingId: finding.findingId,
        statements: judgeStatements(statements, subjectOf(finding, artifact), pin.policy),
      }));
    },
  }),
});

export type VexStatements = ReturnType<typeof createVexStatements>;
