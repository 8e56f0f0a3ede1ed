import { setTimeout as pause } from 'node:timers/promises';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  FINDING_FIELDS,
  type ReportedFinding,
  reportedCoverage,
  reportedFinding,
  type ScanReport,
} from './scan-report.ts';
import { DeadlinePassed, type ServerClient, ServerError } from './server-client.ts';

/** Bill of materials of a scan, as it is sent. */
export interface SentSbom {
  /** Name as the caller wrote it. */
  readonly sbom: string;
  readonly body: Blob;
  readonly imageDigest?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Error of a scan that ended without a result. */
export class ScanFailed extends Error {
  override readonly name = 'ScanFailed';
}

const POLL_MS = 250;
const LONGEST_POLL_MS = 2_000;
/** Findings of one request. */
const PAGE = 100;

/** Reads an answer of the server by its shape. */
const reader = <S extends TSchema>(shape: S) => {
  const validator = Compile(shape);
  const fits = (value: unknown): value is Static<S> => validator.Check(value);
  return (value: unknown): Static<S> => {
    if (fits(value)) return value;
    throw new ServerError('The server answered in an unknown form. Use the command of its version.');
  };
};

const readAccepted = reader(Type.Object({ scanId: Type.String(), statusUrl: Type.String() }));

const readStatus = reader(
  Type.Object({
    status: Type.Enum(['queued', 'running', 'completed', 'failed']),
    error: Type.Union([Type.String(), Type.Null()]),
  }),
);

const readScan = reader(
  Type.Object({
    data: Type.Object({
      scan: Type.Object({
        sbomDigest: Type.String(),
        score: Type.Union([Type.Number(), Type.Null()]),
        rootHash: Type.Union([Type.String(), Type.Null()]),
        coverage: reportedCoverage,
        findings: Type.Object({
          edges: Type.Array(Type.Object({ node: reportedFinding })),
          pageInfo: Type.Object({
            hasNextPage: Type.Boolean(),
            endCursor: Type.Union([Type.String(), Type.Null()]),
          }),
        }),
      }),
    }),
  }),
);

const DOCUMENT = `query ScanReport($id: ID!, $first: Int!, $after: Cursor) {
  scan(id: $id) {
    sbomDigest score rootHash
    coverage { ${Object.keys(reportedCoverage.properties).join(' ')} }
    findings(first: $first, after: $after) {
      edges { node { ${FINDING_FIELDS} } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/** Sends a bill of materials; the same one again is the same scan. */
const submit = async (server: ServerClient, { body, imageDigest, name, version }: SentSbom) => {
  const query = new URLSearchParams(
    Object.entries({ imageDigest, name, version }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
  const path = query.size > 0 ? `/api/v1/scans?${query}` : '/api/v1/scans';
  return readAccepted(await server.send(path, { method: 'POST', body }));
};

/** Waits until a scan is complete. Throws ScanFailed, DeadlinePassed. */
const follow = async (server: ServerClient, scanId: string, statusUrl: string): Promise<void> => {
  for (let wait = POLL_MS; ; wait = Math.min(wait * 1.5, LONGEST_POLL_MS)) {
    const { status, error } = readStatus(await server.send(statusUrl, { method: 'GET' }));
    if (status === 'completed') return;
    if (status === 'failed') throw new ScanFailed(`Scan ${scanId} failed: ${error ?? 'no reason is known.'}`);
    if (performance.now() + wait >= server.deadline)
      throw new DeadlinePassed(
        `Scan ${scanId} is ${status} at the time limit. Run the command again: it continues with this scan.`,
      );
    await pause(wait);
  }
};

const errorsOf = (answer: unknown): string | undefined => {
  if (typeof answer !== 'object' || answer === null || !('errors' in answer)) return undefined;
  const { errors } = answer;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const [first]: readonly unknown[] = errors;
  const message: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'message') : undefined;
  return typeof message === 'string' ? message : 'unknown error';
};

const readPage = async (server: ServerClient, id: string, after: string | null) => {
  const answer = await server.send('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: DOCUMENT, variables: { id, first: PAGE, after } }),
  });
  const problem = errorsOf(answer);
  if (problem !== undefined) throw new ServerError(`The findings of scan ${id} cannot be read: ${problem}`);
  return readScan(answer).data.scan;
};

/**
 * Sends a bill of materials, waits for its scan and reads all findings.
 * Throws ServerError, RequestRefused, ScanFailed, DeadlinePassed.
 */
export const runScan = async (server: ServerClient, sent: SentSbom): Promise<ScanReport> => {
  const { scanId, statusUrl } = await submit(server, sent);
  await follow(server, scanId, statusUrl);
  const findings: ReportedFinding[] = [];
  let page = await readPage(server, scanId, null);
  findings.push(...page.findings.edges.map(({ node }) => node));
  while (page.findings.pageInfo.hasNextPage) {
    page = await readPage(server, scanId, page.findings.pageInfo.endCursor);
    findings.push(...page.findings.edges.map(({ node }) => node));
  }
  const { sbomDigest, score, rootHash, coverage } = page;
  return { scanId, sbom: sent.sbom, sbomDigest, score, rootHash, coverage, findings };
};
