import { admissionResolvers } from './admission/resolvers.ts';
import { agentResolvers } from './agents/resolvers.ts';
import { analysisResolvers } from './analysis/resolvers.ts';
import { attestationResolvers } from './attestation/resolvers.ts';
import { custodyResolvers } from './custody/resolvers.ts';
import { logResolvers } from './deployments/log/log-resolvers.ts';
import { deploymentResolvers } from './deployments/resolvers.ts';
import { rollbackResolvers } from './deployments/undo/rollback-resolvers.ts';
import { environmentResolvers } from './environments/resolvers.ts';
import { estateResolvers } from './estate/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { integrationResolvers } from './integrations/resolvers.ts';
import { promotionResolvers } from './promotions/resolvers.ts';
import { releaseResolvers } from './releases/resolvers.ts';
import { secretResolvers } from './secrets/resolvers.ts';
import { targetResolvers } from './targets/resolvers.ts';
import { transparencyLogResolvers } from './tlog/resolvers.ts';
import { variableResolvers } from './variables/resolvers.ts';
import { verificationResolvers } from './verification/resolvers.ts';

/** One part a noun; a type may have fields from several parts. */
const parts: readonly Resolvers[] = [
  environmentResolvers,
  targetResolvers,
  integrationResolvers,
  secretResolvers,
  variableResolvers,
  releaseResolvers,
  promotionResolvers,
  deploymentResolvers,
  rollbackResolvers,
  analysisResolvers,
  logResolvers,
  agentResolvers,
  estateResolvers,
  transparencyLogResolvers,
  admissionResolvers,
  attestationResolvers,
  custodyResolvers,
  verificationResolvers,
];

const byType = new Map<string, object>();
for (const part of parts)
  for (const [type, fields] of Object.entries(part)) byType.set(type, { ...byType.get(type), ...fields });

export const resolvers: object = Object.fromEntries(byType);
