import { Fault } from '@landfall/kernel/core/fault';
import { problem } from '@landfall/kernel/routes/dialects/problem';
import { type Route, route } from '@landfall/kernel/routes/route';
import type { Scanner } from '@landfall/scanner';
import Type from 'typebox';
import { uuid } from '../views/parts.ts';
import * as schemas from '../views/scan-vex.schemas.ts';

/** Text of an export. @throws Fault RES_NOT_FOUND where no finding is decided */
const documentOf = (text: string | undefined): string => {
  if (text !== undefined) return text;
  throw new Fault('RES_NOT_FOUND', 'No finding of the scan has a triage decision in force. Decide about one first.');
};

/** The same decisions give the same bytes, so the document is sent as it was written. */
export const scanVexRoute = ({ triage }: Scanner): Route =>
  route({
    module: 'scanner',
    dialect: problem,
    method: 'GET',
    path: '/api/v1/scans/:scanId/vex',
    cost: triage.exportVex.spec.cost,
    summary: 'The triage decisions in force about the findings of a scan, as an OpenVEX 0.2.0 document.',
    operation: triage.exportVex,
    schemas: { params: Type.Object({ scanId: uuid }), response: { 200: schemas.openVexDocument } },
    input: ({ params }) => ({ scanId: params.scanId }),
    answer: (text) => ({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: documentOf(text),
    }),
  });
