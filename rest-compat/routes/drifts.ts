import { problem } from '@landfall/kernel/routes/dialects/problem';
import { json, type Route, type RouteRequest, refuseRepeated, route } from '@landfall/kernel/routes/route';
import { CALL_GRAPH_BYTES, driftRecordOf, type Scanner } from '@landfall/scanner';
import Type from 'typebox';
import * as schemas from '../views/drifts.schemas.ts';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import { input } from './query-parameters.ts';
import { bytesOf, refuseLarge } from './streamed-body.ts';

const common = { module: 'scanner', dialect: problem } as const;

const callGraphView = projection(schemas.callGraph);
const jobView = projection(schemas.reachabilityJob);
const driftView = projection(schemas.drift);
const sinksView = projection(schemas.sinkPage);

/** An integer; another text is passed on, to be refused by the operation. */
const integerOf = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : text;

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** A truth value in any letter case; another text is passed on, to be refused by the operation. */
const booleanOf = (text: string | undefined): boolean | string | undefined =>
  text === undefined ? undefined : (BOOLEANS[text.toLowerCase()] ?? text);

const IMPORT_PARAMETERS = ['format', 'mainModule', 'tool'];

/** The body is received as a stream before the operation, whose input names the graph by its digest. */
const importRoute = ({ callGraphs }: Scanner): Route => ({
  ...common,
  method: 'POST',
  path: '/api/v1/scans/:scanId/callgraphs/:language',
  accepts: 'stream',
  bodyLimit: CALL_GRAPH_BYTES,
  summary: 'Imports the call graph of a scan and a language; it replaces an earlier one.',
  operation: callGraphs.assign.spec,
  schemas: {
    params: Type.Object({ scanId: uuid, language: Type.String() }),
    query: Type.Object({
      format: Type.Optional(
        Type.Enum(['json', 'callgraph'], {
          default: 'json',
          description: 'The JSON of docs/call-graphs.md, or the output of the program `callgraph` for Go.',
        }),
      ),
      mainModule: Type.Optional(Type.String({ description: 'Path of the main module, for `callgraph`.' })),
      tool: Type.Optional(Type.String({ description: 'Name, version and options of `callgraph`.' })),
    }),
    response: { 202: schemas.callGraph },
  },
  handle: async (request) => {
    const caller = await request.caller();
    refuseRepeated(request, IMPORT_PARAMETERS);
    refuseLarge(request, CALL_GRAPH_BYTES);
    const { scanId, language } = request.params;
    const [format, mainModule, tool] = IMPORT_PARAMETERS.map((name) => input(request, name));
    const { digest } = await callGraphs.receive(
      caller,
      { scanId, language, format, mainModule, tool },
      bytesOf(request),
    );
    const graph = await callGraphs.assign(caller, { scanId, language, digest });
    return json(202, callGraphView({ ...graph, counts: graph }));
  },
});

/** Body of a request that may come without one; one that is no object is passed on, to be refused by the operation. */
const bodyOf = ({ body, params }: RouteRequest): unknown => {
  if (body === undefined || body === null) return { scanId: params.scanId };
  if (typeof body !== 'object' || Array.isArray(body)) return body;
  return { ...body, scanId: params.scanId };
};

const computationRoute = ({ jobs }: Scanner): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/api/v1/scans/:scanId/compute-reachability',
    summary: 'Requests statements on the reachability of a scan’s findings by its call graph of a language.',
    operation: jobs.compute,
    schemas: {
      params: Type.Object({ scanId: uuid }),
      body: schemas.reachabilityRequest,
      response: { 202: schemas.reachabilityJob },
    },
    input: bodyOf,
    answer: (job) => json(202, jobView({ ...job, jobId: job.id })),
  });

const driftRoute = ({ drifts }: Scanner): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/scans/:scanId/drift',
    summary: 'Sinks that became reachable or unreachable since a base scan; without one, the newest stored drift.',
    operation: drifts.compare,
    schemas: {
      params: Type.Object({ scanId: uuid }),
      query: Type.Object({
        baseScanId: Type.Optional(uuid),
        language: Type.Optional(Type.String({ default: 'dotnet' })),
        includeFullPath: Type.Optional(Type.Boolean({ default: false })),
      }),
      response: { 200: schemas.drift },
    },
    input: (request) => ({
      scanId: request.params.scanId,
      baseScanId: input(request, 'baseScanId'),
      language: input(request, 'language'),
      includeFullPath: booleanOf(input(request, 'includeFullPath')),
    }),
    answer: (stored, request) =>
      json(200, driftView(driftRecordOf(stored, booleanOf(input(request, 'includeFullPath')) === true))),
  });

const sinksRoute = ({ drifts }: Scanner): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/drift/:driftId/sinks',
    summary: 'Page of the sinks of a stored drift in one direction.',
    operation: drifts.sinks,
    schemas: {
      params: Type.Object({ driftId: uuid }),
      query: Type.Object({
        direction: Type.Optional(Type.String({ default: 'became_reachable' })),
        offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
      }),
      response: { 200: schemas.sinkPage },
    },
    input: (request) => ({
      driftId: request.params.driftId,
      direction: input(request, 'direction'),
      offset: integerOf(input(request, 'offset')),
      limit: integerOf(input(request, 'limit')),
    }),
    answer: (page) => json(200, sinksView(page)),
  });

/** Routes of call graphs, reachability and drift (spec 4.3, 4.4). */
export const driftRoutes = (scanner: Scanner): Route[] => [
  importRoute(scanner),
  computationRoute(scanner),
  driftRoute(scanner),
  sinksRoute(scanner),
];
