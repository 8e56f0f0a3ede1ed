import { isTenantId } from '@landfall/kernel/core/ids';
import { sha256, sha256Bytes } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { leafHash, verifyInclusion } from '@landfall/kernel/crypto/merkle';
import type { Database } from '@landfall/kernel/db/database';
import { type BundleClaims, MalformedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import { createLogReader } from '../log/log-reader.ts';
import { hashedRekordBody } from '../signature/hashed-rekord.ts';
import { IN_TOTO_PAYLOAD_TYPE } from '../signature/statement.ts';
import * as store from './audit.store.ts';

const PAGE = 200;
/** Key that precedes every statement. */
const START: store.StatementKey = { tenant: '', id: '00000000-0000-0000-0000-000000000000' };

/** Part of a log, read after a page of statements so that it contains every entry that the page names. */
interface Log {
  readonly origin: string;
  /** Size of the newest checkpoint; undefined if there is none. */
  readonly size: number | undefined;
  readonly bodies: ReadonlyMap<bigint, Buffer>;
}

const isSame = (one: Uint8Array | null | undefined, other: Uint8Array | null | undefined): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0;

const readLog = async (database: Database, origin: string, page: readonly store.AuditedStatement[]): Promise<Log> => {
  const indexes = page.flatMap(({ logOrigin, logIndex }) =>
    logOrigin === origin && logIndex !== null ? [logIndex] : [],
  );
  const entries = await database.system.read((query) => store.listEntries(query, origin, indexes));
  const newest = await createLogReader({ database, origin }).newest();
  return { origin, size: newest?.size, bodies: new Map(entries.map(({ idx, body }) => [idx, body])) };
};

const againstLog = ({ logIndex, logBody, treeSize }: store.AuditedStatement, log: Log | undefined): string[] => {
  if (!log || logIndex === null || treeSize === null) return ['it names no place in a log'];
  const { origin, size = 0, bodies } = log;
  if (logIndex >= BigInt(size))
    return [`it is entry ${logIndex} of the log ${origin}, whose newest checkpoint is of ${size} entries`];
  const body = bodies.get(logIndex);
  return [
    ...(body ? [] : [`the log ${origin} has no entry ${logIndex}`]),
    ...(!body || isSame(body, logBody) ? [] : [`entry ${logIndex} of the log ${origin} is not the one recorded of it`]),
    ...(logIndex >= 0n && logIndex < treeSize ? [] : [`a tree of ${treeSize} entries has no entry ${logIndex}`]),
    ...(treeSize <= BigInt(size)
      ? []
      : [`it was proved in a tree of ${treeSize} entries, and the newest checkpoint of ${origin} is of ${size}`]),
  ];
};

/** Checks that the entry is of exactly this payload, signature and key (proofs 6.2). */
const isEntryOf = ({ payload, signature, spki, logBody }: store.AuditedStatement): boolean => {
  if (!signature || !spki) return false;
  const paeDigest = sha256Bytes(pae(IN_TOTO_PAYLOAD_TYPE, payload));
  return (['PKIX_ECDSA_P256_SHA_256', 'PKIX_ED25519'] as const).some((keyDetails) =>
    isSame(hashedRekordBody({ paeDigest, signature, spki, keyDetails }), logBody),
  );
};

const againstItself = (row: store.AuditedStatement): string[] => [
  ...(row.payloadDigest === sha256(row.payload) ? [] : ['its payload is not that of its payload_digest']),
  ...(isEntryOf(row) ? [] : ['its entry of the log is not over its payload and signature']),
];

/** Checks that the bundle proves the row's entry in the row's tree (RFC 9162 2.1.3). */
const isProved = ({ entries }: BundleClaims, row: store.AuditedStatement): boolean => {
  const [entry, ...rest] = entries;
  const proof = entry?.proof;
  if (!proof || rest.length > 0) return false;
  const { index, treeSize: size, rootHash: root, hashes: path } = proof;
  return (
    isSame(entry.body, row.logBody) &&
    isSame(root, row.rootHash) &&
    [index, entry.index].every((claimed) => BigInt(claimed) === row.logIndex) &&
    BigInt(size) === row.treeSize &&
    verifyInclusion({ index, size, leafHash: leafHash(entry.body), path, root })
  );
};

const againstBundle = (row: store.AuditedStatement): string[] => {
  try {
    const claims = parseBundle(row.bundle ?? '');
    const [signature, ...rest] = claims.signatures;
    return [
      ...(isSame(claims.payload, row.payload) ? [] : ['its payload is not the one in its bundle']),
      ...(rest.length === 0 && isSame(signature?.bytes, row.signature)
        ? []
        : ['its signature is not the one in its bundle']),
      ...(isProved(claims, row) ? [] : ['its bundle does not prove the entry that is recorded of it']),
    ];
  } catch (error) {
    if (!(error instanceof MalformedBundle)) throw error;
    return [`its bundle cannot be read (${error.message})`];
  }
};

const differences = (row: store.AuditedStatement, log: Log | undefined): string[] => [
  ...againstLog(row, log),
  ...againstItself(row),
  ...againstBundle(row),
];

const auditPage = async (
  database: Database,
  tenant: string,
  ids: readonly string[],
  report: (text: string) => void,
) => {
  if (!isTenantId(tenant)) {
    for (const id of ids) report(`Statement ${id} (${tenant}): there can be no tenant of that name.`);
    return;
  }
  const page = await database.read(tenant, (query) => store.listStatements(query, tenant, ids));
  const origins = new Set(page.flatMap(({ logOrigin }) => logOrigin ?? []));
  const logs = new Map<string, Log>();
  for (const origin of origins) logs.set(origin, await readLog(database, origin, page));
  for (const row of page) {
    const found = differences(row, logs.get(row.logOrigin ?? ''));
    if (found.length > 0)
      report(`Statement ${row.id} (${tenant}, ${row.kind} of ${row.subjectId}): ${found.join('; ')}.`);
  }
};

/**
 * Compares every attested statement of every tenant with its log and its own bundle, a page at a time. Does not check
 * whether the log's entries match its signed checkpoint.
 * @param report called once for each statement with a contradiction, with all differences
 * @returns number of statements read
 */
export const auditStatements = async (database: Database, report: (text: string) => void): Promise<number> => {
  let statements = 0;
  let after = START;
  for (let isMore = true; isMore; ) {
    const keys = await database.system.read((query) => store.listKeys(query, after, PAGE));
    for (const [tenant, ofOne] of Map.groupBy(keys, (key) => key.tenant))
      await auditPage(
        database,
        tenant,
        ofOne.map(({ id }) => id),
        report,
      );
    statements += keys.length;
    after = keys.at(-1) ?? after;
    isMore = keys.length === PAGE;
  }
  return statements;
};
