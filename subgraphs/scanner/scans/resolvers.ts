import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { coverageOf } from './coverage.ts';
import { scoreOf } from './scan-score.ts';

export const scanResolvers = {
  Query: {
    scan: (_, args, { caller, scans }) => scans.get(caller, args),
    scans: async (_, args, { caller, scans }) => connectionOf(await scans.list(caller, args)),
  },
  Scan: {
    __resolveReference: (scan, { caller, scans }) => scans.get(caller, scan),
    subject: ({ subjectName, subjectVersion, subjectPurl }) =>
      subjectName === null ? null : { name: subjectName, version: subjectVersion, purl: subjectPurl },
    coverage: coverageOf,
    score: scoreOf,
    requestedBy: ({ requestedBy }) => ({ id: requestedBy }),
  },
} satisfies Resolvers;
