import { type Digest, sha256, sha256Bytes, sha256Hex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Direction } from './direction.ts';
import type { Drift, DriftedSink } from './drift.ts';
import { chainTo, compressPath, type PathStep } from './path.ts';

/** Scans whose call graphs were compared. */
interface ComparedScans {
  readonly tenant: string;
  readonly headScan: string;
  readonly baseScan: string;
}

/** Sink of a drift as the API answers it. */
export interface SinkRecord extends Omit<DriftedSink, 'position'> {
  readonly sinkId: string;
  /** Symbol keys from the entry to the sink; in a compressed path a run of others is its length. */
  readonly path: readonly PathStep[];
}

/** Drift of a head scan and a base scan as the API answers it. */
interface DriftRecord extends Omit<Drift, 'sinks' | 'chains'> {
  readonly driftId: string;
  readonly scanId: string;
  readonly baseScanId: string;
  readonly computedAt: string;
  readonly resultDigest: Digest;
  /** First page of the sinks of both directions. */
  readonly sinks: readonly SinkRecord[];
}

interface SinkPage {
  readonly items: readonly SinkRecord[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

interface SinkPageRequest {
  /** Both unless given. */
  readonly direction?: Direction | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly includeFullPath?: boolean;
}

/** Sinks on the first page, which the record of a drift has (rulings, exact shapes). */
const FIRST_PAGE = 100;

/** UUID (version 8, RFC 9562) of a comparison: the same graphs of the same scans have the same drift (proofs 5.2). */
export const driftId = (
  { language, baseGraphHash, headGraphHash }: Pick<Drift, 'language' | 'baseGraphHash' | 'headGraphHash'>,
  { tenant, headScan, baseScan }: ComparedScans,
): string => {
  const identity = { tenant, headScan, baseScan, language, baseGraphHash, headGraphHash };
  const id = sha256Bytes('drift/v1\n', canonicalJson(identity)).subarray(0, 16);
  id.writeUInt8((id.readUInt8(6) & 0x0f) | 0x80, 6);
  id.writeUInt8((id.readUInt8(8) & 0x3f) | 0x80, 8);
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

const sinkRecord =
  (drift: Drift, id: string, isPathFull: boolean) =>
  ({ position, ...sink }: DriftedSink): SinkRecord => {
    const path = chainTo(drift.chains[sink.direction], position);
    return {
      sinkId: sha256Hex('drift-sink/v1\n', canonicalJson({ driftId: id, symbol: sink.symbol, kind: sink.kind })).slice(
        0,
        32,
      ),
      ...sink,
      path: isPathFull ? path : compressPath(path, sink.cause),
    };
  };

interface DriftIdentity extends Omit<ComparedScans, 'tenant'> {
  readonly driftId: string;
  readonly computedAt: string;
}

/** Record of a drift; its digest is that of the compressed form whatever form the paths have. */
export const driftRecord = (
  drift: Drift,
  { driftId: id, headScan, baseScan, computedAt }: DriftIdentity,
  includeFullPath = false,
): DriftRecord => {
  const { sinks, chains: _, ...rest } = drift;
  const firstPage = (isPathFull: boolean) => sinks.slice(0, FIRST_PAGE).map(sinkRecord(drift, id, isPathFull));
  const result = { driftId: id, scanId: headScan, baseScanId: baseScan, ...rest };
  return {
    ...result,
    computedAt,
    resultDigest: sha256('drift-result/v1\n', canonicalJson({ ...result, sinks: firstPage(false) })),
    sinks: firstPage(includeFullPath),
  };
};

/** Page of the sinks, in the order of the drift. */
export const sinkPage = (drift: Drift, id: string, request: SinkPageRequest): SinkPage => {
  const { direction, offset, limit, includeFullPath = false } = request;
  const sinks = drift.sinks.filter((sink) => direction === undefined || sink.direction === direction);
  const items = sinks.slice(offset, offset + limit).map(sinkRecord(drift, id, includeFullPath));
  return { items, total: sinks.length, offset, limit };
};
