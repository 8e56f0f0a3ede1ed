import type { Chunk } from '../corpus/chunk.ts';
import type { Domain } from '../shared/domains.ts';
import {
  agentDecision,
  deploymentDecision,
  deviationDecision,
  promotionDecision,
  releaseDecision,
} from './decision-documents.ts';
import { documentKey } from './document-format.ts';
import type { EntityIndex, Subject } from './entity-index.ts';
import { agentDocument, environmentDocument, integrationDocument, targetDocument } from './estate-documents.ts';
import type { Kind } from './facts.ts';
import { findingDocument } from './finding-document.ts';
import { releaseDocument } from './release-document.ts';
import { scanDocument } from './scan-document.ts';
import { deploymentTimeline, environmentTimeline, promotionTimeline } from './timeline-documents.ts';

interface DocumentBuilder {
  readonly domain: Domain;
  build(entities: EntityIndex, id: string): Chunk | undefined;
}

const BUILDERS: Readonly<Record<Kind, readonly DocumentBuilder[]>> = {
  Release: [
    { domain: 'release', build: releaseDocument },
    { domain: 'opsmemory', build: releaseDecision },
  ],
  Promotion: [
    { domain: 'timeline', build: promotionTimeline },
    { domain: 'opsmemory', build: promotionDecision },
  ],
  Deployment: [
    { domain: 'timeline', build: deploymentTimeline },
    { domain: 'opsmemory', build: deploymentDecision },
  ],
  Environment: [
    { domain: 'graph', build: environmentDocument },
    { domain: 'timeline', build: environmentTimeline },
  ],
  Target: [{ domain: 'graph', build: targetDocument }],
  Agent: [
    { domain: 'graph', build: agentDocument },
    { domain: 'opsmemory', build: agentDecision },
  ],
  Integration: [{ domain: 'graph', build: integrationDocument }],
  Deviation: [{ domain: 'opsmemory', build: deviationDecision }],
  Scan: [{ domain: 'scanner', build: scanDocument }],
  Finding: [{ domain: 'findings', build: findingDocument }],
  Image: [],
  // People and clients are told of in what they did alone.
  User: [],
  Client: [],
};

export interface Documents {
  readonly chunks: readonly Chunk[];
  readonly gone: readonly string[];
}

export const documentsOf = (entities: EntityIndex, subjects: readonly Subject[]): Documents => {
  const told = subjects.flatMap((subject) =>
    BUILDERS[subject.kind].map(({ domain, build }) => ({
      key: documentKey(domain, subject),
      chunk: build(entities, subject.id),
    })),
  );
  return {
    chunks: told.flatMap(({ chunk }) => chunk ?? []),
    gone: told.flatMap(({ key, chunk }) => (chunk ? [] : [key])),
  };
};
