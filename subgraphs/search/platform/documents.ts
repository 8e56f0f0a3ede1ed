import type { Chunk } from '../corpus/chunk.ts';
import {
  agentDecision,
  deploymentDecision,
  deviationDecision,
  promotionDecision,
  releaseDecision,
} from './decision-documents.ts';
import { type DocumentBuilder, documentKey } from './document-format.ts';
import type { EntityIndex, Subject } from './entity-index.ts';
import { agentDocument, environmentDocument, integrationDocument, targetDocument } from './estate-documents.ts';
import type { Kind } from './facts.ts';
import { findingDocument } from './finding-document.ts';
import { productDocument } from './product-document.ts';
import { releaseDocument } from './release-document.ts';
import { scanDocument } from './scan-document.ts';
import { deploymentTimeline, environmentTimeline, promotionTimeline } from './timeline-documents.ts';

const BUILDERS: Readonly<Record<Kind, readonly DocumentBuilder[]>> = {
  Release: [releaseDocument, releaseDecision],
  Promotion: [promotionTimeline, promotionDecision],
  Deployment: [deploymentTimeline, deploymentDecision],
  Product: [productDocument],
  Environment: [environmentDocument, environmentTimeline],
  Target: [targetDocument],
  Agent: [agentDocument, agentDecision],
  Integration: [integrationDocument],
  Deviation: [deviationDecision],
  Scan: [scanDocument],
  Finding: [findingDocument],
  Image: [],
  // People and clients appear only in documents about their actions.
  User: [],
  Client: [],
};

export interface Documents {
  readonly chunks: readonly Chunk[];
  readonly gone: readonly string[];
}

export const documentsOf = (entities: EntityIndex, subjects: readonly Subject[]): Documents => {
  const built = subjects.flatMap((subject) =>
    BUILDERS[subject.kind].map(({ domain, build }) => ({
      key: documentKey(domain, subject),
      chunk: build(entities, subject.id),
    })),
  );
  return {
    chunks: built.flatMap(({ chunk }) => chunk ?? []),
    gone: built.flatMap(({ key, chunk }) => (chunk ? [] : [key])),
  };
};
