import { join } from 'node:path';
import type { Knowledge } from '@landfall/kernel/module';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { checkChunk } from './checks.ts';
import { readDocuments } from './documents.ts';
import { operationsOf } from './operations.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Reads the knowledge corpus of this installation: documents, operations and checks. */
export const readKnowledge = async (): Promise<Knowledge> => ({
  documents: await readDocuments(ROOT),
  ...operationsOf(publishedRoutes()),
  checks: (await import('../doctor/checks.ts')).CHECKS.map(checkChunk),
});
