import { defineSettings } from '@landfall/kernel/system/settings';

/** Settings of the orchestrator: transparency log, timestamp authority and retention. */
export const orchestratorSettings = defineSettings({
  logWitnesses: {
    type: 'list',
    default: [],
    env: 'LANDFALL_LOG_WITNESSES',
    name: 'Log:Witnesses',
    description: 'Witnesses that cosign the transparency log, each as `<verifier key>=<url>` (C2SP tlog-witness).',
  },
  rekorUrl: {
    type: 'url',
    schemes: ['http', 'https'],
    env: 'LANDFALL_ATTESTATION_REKOR_URL',
    name: 'Attestation:RekorUrl',
    description:
      'External Rekor v2 log to which each attestation is submitted after the platform’s own log; unset, none.',
  },
  rekorToken: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_REKOR_TOKEN',
    name: 'Attestation:RekorToken',
    secret: true,
    description: 'Bearer token of the external log, if it needs one.',
  },
  rekorKey: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_REKOR_KEY',
    name: 'Attestation:RekorKey',
    description:
      'Verifier key of the external log’s checkpoints: `<origin>+<hash>+<base64>`, Ed25519 (C2SP signed-note).',
  },
  deploymentLogDays: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    env: 'LANDFALL_DEPLOYMENT_LOG_DAYS',
    name: 'Deployments:LogDays',
    description: 'Days for which the output of components during deployments is kept.',
  },
  timestampUrl: {
    type: 'url',
    schemes: ['http', 'https'],
    env: 'LANDFALL_ATTESTATION_TIMESTAMP_URL',
    name: 'Attestation:TimestampUrl',
    description:
      'A timestamp authority (RFC 3161) that stamps each attestation; unset, the platform stamps them itself.',
  },
  timestampChainFile: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_TIMESTAMP_CHAIN_FILE',
    name: 'Attestation:TimestampChainFile',
    description:
      'Certificates of the authority in PEM, the one that signs first, its root last; chains of earlier ones may follow.',
  },
});
