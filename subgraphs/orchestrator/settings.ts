import { defineSettings } from '@landfall/kernel/system/settings';

/** Settings of the orchestrator: transparency log, timestamp authority and retention. */
export const orchestratorSettings = defineSettings({
  logWitnesses: {
    type: 'list',
    default: [],
    env: 'LANDFALL_LOG_WITNESSES',
    name: 'Log:Witnesses',
    description:
      'Who is asked to cosign the transparency log: `<verifier key>=<url>` each, as C2SP tlog-witness has them.',
  },
  rekorUrl: {
    type: 'url',
    schemes: ['http', 'https'],
    env: 'LANDFALL_ATTESTATION_REKOR_URL',
    name: 'Attestation:RekorUrl',
    description: 'An external Rekor v2 that each attestation is submitted to after our own log; unset, none is.',
  },
  rekorToken: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_REKOR_TOKEN',
    name: 'Attestation:RekorToken',
    secret: true,
    description: 'The bearer token that the external log asks for, if it does.',
  },
  rekorKey: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_REKOR_KEY',
    name: 'Attestation:RekorKey',
    description:
      'What signs the external log’s checkpoints: `<origin>+<hash>+<base64>`, an Ed25519 verifier key (C2SP signed-note).',
  },
  deploymentLogDays: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    env: 'LANDFALL_DEPLOYMENT_LOG_DAYS',
    name: 'Deployments:LogDays',
    description: 'Days for which what components wrote while they were deployed is kept.',
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
