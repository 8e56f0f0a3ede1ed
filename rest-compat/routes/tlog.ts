import { parseTileNumber } from '@landfall/attestation/log/tiles';
import { Fault } from '@landfall/kernel/core/fault';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { type Answer, json, protocolRoute, type Route, route } from '@landfall/kernel/routes/route';
import type { Orchestrator } from '@landfall/orchestrator';
import Type from 'typebox';
import { logEntry, rekorSubmission } from '../views/tlog.schemas.ts';
import { logEntryView } from '../views/tlog.ts';

const BASE = '/tlog/api/v2';

/** Public route without scopes: everyone may verify hashes, signatures and public keys. */
const open = { method: 'GET', module: 'orchestrator', dialect: envelope, isPublic: true } as const;

/** Caching for ever: the resource of a path never changes, a partial tile neither (C2SP tlog-tiles). */
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable', 'content-type': 'application/octet-stream' };

const bytes = (body: Buffer | undefined): Answer => {
  if (!body) throw new Fault('RES_NOT_FOUND', 'The log has no such tile.');
  return { status: 200, headers: FOR_EVER, body };
};

const checkpointRoute = ({ logReading }: Orchestrator): Route =>
  protocolRoute({
    ...open,
    path: `${BASE}/checkpoint`,
    summary: 'The newest checkpoint of the transparency log: a signed note (C2SP tlog-checkpoint).',
    schemas: { response: { 200: Type.String() } },
    handle: async () => {
      const newest = await logReading.newest();
      if (!newest) throw new Fault('RES_NOT_FOUND', 'The log has no entry yet, and so no checkpoint.');
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' };
      return { status: 200, headers, body: newest.note };
    },
  });

const LEVEL = /^(?:0|[1-9]\d?)$/;

const tileRoute = ({ logReading }: Orchestrator): Route =>
  protocolRoute({
    ...open,
    path: `${BASE}/tile/:level/*`,
    summary: 'A tile of the log’s tree, or of its entries where the level is `entries` (C2SP tlog-tiles).',
    schemas: { params: Type.Object({ level: Type.String() }), response: { 200: Type.String() } },
    handle: async ({ params: { level = '', '*': number = '' } }) => {
      const request = parseTileNumber(number);
      if (!request) return bytes(undefined);
      if (level === 'entries') return bytes(await logReading.bundle(request));
      return bytes(LEVEL.test(level) ? await logReading.tile(Number(level), request) : undefined);
    },
  });

const submitRoute = ({ transparencyLogs }: Orchestrator): Route =>
  route({
    method: 'POST',
    module: 'orchestrator',
    dialect: envelope,
    path: `${BASE}/log/entries`,
    summary: 'Logs a signature over a digest, as Rekor v2 does; the same again answers the entry that is there.',
    operation: transparencyLogs.submit,
    schemas: { body: rekorSubmission, response: { 201: logEntry } },
    bodyLimit: 16 * 1024,
    input: ({ body }) => body,
    answer: (logged) => json(201, logEntryView(logged)),
  });

/** Routes of the transparency log: tiles for monitors, and Rekor v2's API for writers. */
export const tlogRoutes = (orchestrator: Orchestrator): Route[] => [
  checkpointRoute(orchestrator),
  tileRoute(orchestrator),
  submitRoute(orchestrator),
];
