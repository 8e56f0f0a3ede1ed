import { environmentResolvers } from './catalogue/environments/resolvers.ts';
import { integrationResolvers } from './catalogue/integrations/resolvers.ts';
import { productResolvers } from './catalogue/products/resolvers.ts';
import { releaseResolvers } from './catalogue/releases/resolvers.ts';
import { secretResolvers } from './catalogue/secrets/resolvers.ts';
import { targetResolvers } from './catalogue/targets/resolvers.ts';
import { variableResolvers } from './catalogue/variables/resolvers.ts';
import { comparisonResolvers } from './comparison/resolvers.ts';
import { promotionResolvers } from './deciding/promotions/resolvers.ts';
import { sourceResolvers } from './deciding/sources/resolvers.ts';
import { custodyResolvers } from './evidence/custody/resolvers.ts';
import { admissionResolvers } from './evidence/images/resolvers.ts';
import { transparencyLogResolvers } from './evidence/statements/log-resolvers.ts';
import { attestationResolvers } from './evidence/statements/resolvers.ts';
import { verificationResolvers } from './evidence/statements/verification-resolvers.ts';
import type { Resolvers } from './generated.ts';
import { deliveryResolvers } from './monitoring/delivery/resolvers.ts';
import { estateResolvers } from './monitoring/estate/resolvers.ts';
import { portfolioResolvers } from './monitoring/portfolio/resolvers.ts';
import { analysisResolvers } from './running/analysis/resolvers.ts';
import { agentResolvers } from './running/fleet/resolvers.ts';
import { logResolvers } from './running/log/resolvers.ts';
import { deploymentResolvers } from './running/resolvers.ts';
import { rollbackResolvers } from './running/rollback-resolvers.ts';

/** Resolvers by noun; a type may have fields from several of them. */
const parts: readonly Resolvers[] = [
  environmentResolvers,
  productResolvers,
  targetResolvers,
  integrationResolvers,
  secretResolvers,
  variableResolvers,
  releaseResolvers,
  promotionResolvers,
  sourceResolvers,
  deploymentResolvers,
  rollbackResolvers,
  analysisResolvers,
  logResolvers,
  agentResolvers,
  estateResolvers,
  portfolioResolvers,
  deliveryResolvers,
  transparencyLogResolvers,
  admissionResolvers,
  attestationResolvers,
  custodyResolvers,
  comparisonResolvers,
  verificationResolvers,
];

const byType = new Map<string, object>();
for (const part of parts)
  for (const [type, fields] of Object.entries(part)) byType.set(type, { ...byType.get(type), ...fields });

export const resolvers: object = Object.fromEntries(byType);
