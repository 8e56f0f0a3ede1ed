import { Fault } from '@landfall/kernel/core/fault';
import { problem } from '@landfall/kernel/routes/dialects/problem';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import { json, type Route, type RouteRequest, refuseRepeated } from '@landfall/kernel/routes/route';
import { type Scanner, VEX_DOCUMENT_BYTES } from '@landfall/scanner';
import Type from 'typebox';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/vex.schemas.ts';
import { input } from './query-parameters.ts';
import { bytesOf, refuseLarge } from './streamed-body.ts';

const documentView = projection(schemas.vexDocument);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a body, whose UTF-8 bytes are those that were sent. @throws BodyTooLarge, Fault VAL_INVALID_FORMAT */
const textOf = async (request: RouteRequest): Promise<string> => {
  refuseLarge(request, VEX_DOCUMENT_BYTES);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytesOf(request)) {
    size += chunk.length;
    if (size > VEX_DOCUMENT_BYTES) throw new BodyTooLarge(`The document is larger than ${VEX_DOCUMENT_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    return decoder.decode(Buffer.concat(chunks));
  } catch {
    throw new Fault('VAL_INVALID_FORMAT', 'The document is not UTF-8.');
  }
};

/** The body is the document; it is read whole, up to its limit. */
const importRoute = ({ vexDocuments }: Scanner): Route => ({
  module: 'scanner',
  dialect: problem,
  method: 'POST',
  path: '/api/v1/vex/sources/:source/documents',
  accepts: 'stream',
  bodyLimit: VEX_DOCUMENT_BYTES,
  cost: vexDocuments.import.spec.cost,
  summary:
    'Adds a VEX document to a registered source: OpenVEX, CSAF or CycloneDX in JSON, also in a DSSE envelope. The same document again is answered with 200.',
  operation: vexDocuments.import.spec,
  schemas: {
    params: Type.Object({ source: Type.String() }),
    query: Type.Object({
      signature: Type.Optional(
        Type.String({ description: 'Detached signature over the bytes of the document, in base64.' }),
      ),
    }),
    response: { 200: schemas.vexDocument, 201: schemas.vexDocument },
  },
  handle: async (request) => {
    const caller = await request.caller();
    refuseRepeated(request, ['signature']);
    const { document, isNew } = await vexDocuments.import(caller, {
      source: request.params.source,
      document: await textOf(request),
      signature: input(request, 'signature'),
    });
    return json(isNew ? 201 : 200, documentView(document));
  },
});

/** Routes of VEX. */
export const vexRoutes = (scanner: Scanner): Route[] => [importRoute(scanner)];
