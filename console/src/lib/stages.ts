/** Stages of a deployment in order (spec 2.10). */
export const STAGES = [
  'artifact-generation',
  'bundle-assembly',
  'strategy-planning',
  'traffic-gate',
  'preflight',
  'execution',
  'health-probe',
  'retry-prep',
  'rollback',
] as const;

export type StageName = (typeof STAGES)[number];

export type StageState = 'done' | 'running' | 'failed' | 'unused' | 'unreached';
