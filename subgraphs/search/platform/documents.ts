import type { Chunk } from '../corpus/chunk.ts';
import type { Domain } from '../domains.ts';
import {
  agentDecision,
  deploymentDecision,
  deviationDecision,
  promotionDecision,
  releaseDecision,
} from './decision-documents.ts';
import { documentKey } from './document-format.ts';
import type { Subject, World } from './entity-index.ts';
import { agentDocument, environmentDocument, integrationDocument, targetDocument } from './estate-documents.ts';
import type { Kind } from './facts.ts';
import { findingDocument } from './finding-document.ts';
import { releaseDocument } from './release-document.ts';
import { scanDocument } from './scan-document.ts';
import { deploymentTimeline, environmentTimeline, promotionTimeline } from './timeline-documents.ts';

interface Teller {
  readonly domain: Domain;
  tell(world: World, id: string): Chunk | undefined;
}

/** What is told of each kind of thing, and in which domain. */
const TELLERS: Readonly<Record<Kind, readonly Teller[]>> = {
  Release: [
    { domain: 'release', tell: releaseDocument },
    { domain: 'opsmemory', tell: releaseDecision },
  ],
  Promotion: [
    { domain: 'timeline', tell: promotionTimeline },
    { domain: 'opsmemory', tell: promotionDecision },
  ],
  Deployment: [
    { domain: 'timeline', tell: deploymentTimeline },
    { domain: 'opsmemory', tell: deploymentDecision },
  ],
  Environment: [
    { domain: 'graph', tell: environmentDocument },
    { domain: 'timeline', tell: environmentTimeline },
  ],
  Target: [{ domain: 'graph', tell: targetDocument }],
  Agent: [
    { domain: 'graph', tell: agentDocument },
    { domain: 'opsmemory', tell: agentDecision },
  ],
  Integration: [{ domain: 'graph', tell: integrationDocument }],
  Deviation: [{ domain: 'opsmemory', tell: deviationDecision }],
  Scan: [{ domain: 'scanner', tell: scanDocument }],
  Finding: [{ domain: 'findings', tell: findingDocument }],
  Image: [],
  // People and clients are told of in what they did alone.
  User: [],
  Client: [],
};

/** What is to be written of things, and which documents of theirs there are no more. */
export interface Documents {
  readonly chunks: readonly Chunk[];
  readonly gone: readonly string[];
}

/** Tells things anew, from what is known of them and of what they name. */
export const documentsOf = (world: World, subjects: readonly Subject[]): Documents => {
  const told = subjects.flatMap((subject) =>
    TELLERS[subject.kind].map(({ domain, tell }) => ({
      key: documentKey(domain, subject),
      chunk: tell(world, subject.id),
    })),
  );
  return {
    chunks: told.flatMap(({ chunk }) => chunk ?? []),
    gone: told.flatMap(({ key, chunk }) => (chunk ? [] : [key])),
  };
};
