import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { formatPurl } from '../packages/purl.ts';
import { rulingOf } from './ruling-view.ts';
import { statementConnection } from './statement-connection.ts';

export const vexResolvers = {
  Query: {
    vexSources: (_, _args, { caller, vexSources }) => vexSources.list(caller, {}),
    vexSource: (_, args, { caller, vexSources }) => vexSources.get(caller, args),
    vexDocument: (_, args, { caller, vexDocuments }) => vexDocuments.get(caller, args),
    vexStatements: async (_, args, { caller, vexStatements }) =>
      statementConnection(await vexStatements.list(caller, args)),
  },
  Mutation: {
    createVexSource: (_, { input }, { caller, vexSources }) => vexSources.create(caller, input),
    updateVexSource: (_, { input }, { caller, vexSources }) => vexSources.update(caller, input),
    removeVexSource: (_, { input }, { caller, vexSources }) => vexSources.remove(caller, input),
    importVexDocument: async (_, { input }, { caller, vexDocuments }) =>
      (await vexDocuments.import(caller, input)).document,
  },
  VexSource: {
    createdBy: ({ createdBy }) => ({ id: createdBy }),
    totals: (source, _, { loaders }) => loaders.totalsOfSource(source),
    documents: async ({ id }, page, { caller, vexDocuments }) =>
      connectionOf(await vexDocuments.list(caller, { ...page, sourceId: id })),
  },
  VexDocument: {
    text: ({ digest }, _, { caller, vexDocuments }) => vexDocuments.text(caller, { digest }),
    statements: async ({ id }, page, { caller, vexStatements }) =>
      statementConnection(await vexStatements.ofDocument(caller, { ...page, documentId: id })),
    importedBy: ({ importedBy }) => ({ id: importedBy }),
  },
  VexStatement: {
    documentDigest: ({ statement }) => statement.documentDigest,
    index: ({ statement }) => statement.index,
    vulnerabilityIds: ({ statement }) => statement.vulnerabilityIds,
    status: ({ statement }) => statement.status,
    justification: ({ statement }) => statement.justification,
    impactStatement: ({ statement }) => statement.impactStatement,
    timestamp: ({ statement: { statedAt } }) => (statedAt === null ? null : new Date(statedAt)),
    products: ({ statement }) => statement.products,
  },
  VexProduct: {
    purl: ({ purl }) => purl && formatPurl(purl),
  },
  VexComponent: {
    purl: ({ purl }) => purl && formatPurl(purl),
  },
  JudgedVexStatement: {
    statement: (judged) => judged,
  },
  ScanFinding: {
    vexStatement: async (finding, _, { loaders }) =>
      finding.finding.vexStatement && rulingOf(finding, await loaders.statementsOfFinding(finding)),
    statements: (finding, _, { loaders }) => loaders.statementsOfFinding(finding),
    ssvc: (finding, _, { loaders }) => loaders.ssvcOfFinding(finding),
  },
} satisfies Resolvers;
