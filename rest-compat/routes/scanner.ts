import { problem } from '@landfall/kernel/routes/dialects/problem';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import { type Scanner, scoreOf } from '@landfall/scanner';
import Type from 'typebox';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/scanner.schemas.ts';
import { withFieldNames } from './field-names.ts';

const common = { module: 'scanner', dialect: problem } as const;

const scanView = projection(schemas.scan);

const scanRoute = ({ scans }: Scanner): Route => {
  const get = withFieldNames(scans.get, { id: 'scanId' });
  return route({
    ...common,
    method: 'GET',
    path: '/api/v1/scans/:scanId',
    summary: 'A scan with its status, and its newest score.',
    operation: get,
    schemas: { params: Type.Object({ scanId: uuid }), response: { 200: schemas.scan } },
    input: ({ params }) => ({ id: params.scanId }),
    answer: (scan) => json(200, scanView({ ...scan, scanId: scan.id, score: scoreOf(scan) })),
  });
};

/** Routes of the scanner (spec 4.3). */
export const scannerRoutes = (scanner: Scanner): Route[] => [scanRoute(scanner)];
