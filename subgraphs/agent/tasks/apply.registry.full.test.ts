import { testRegistryFaults } from './registry-faults.fixture.ts';

testRegistryFaults([
  [
    'hangs at a manifest',
    { kind: 'hang', match: '/manifests/' },
    'DEPLOY_PULL_FAILED',
    'registry-unreachable',
    'resolved',
  ],
  [
    'trickles a blob',
    { kind: 'trickle', match: '/blobs/', everyMs: 50 },
    'DEPLOY_PULL_FAILED',
    'registry-unreachable',
    'pulled',
  ],
  [
    'serves a corrupt manifest',
    { kind: 'corrupt', match: '/manifests/' },
    'DEPLOY_DIGEST_VERIFICATION_FAILED',
    'digest-mismatch',
    'resolved',
  ],
  [
    'is broken',
    { kind: 'status', match: '/v2/', status: 500 },
    'DEPLOY_PULL_FAILED',
    'registry-unreachable',
    'resolved',
  ],
  [
    'refuses us',
    { kind: 'status', match: '/v2/', status: 403 },
    'DEPLOY_PULL_FAILED',
    'registry-unauthorized',
    'resolved',
  ],
  [
    'lost a blob',
    { kind: 'status', match: '/blobs/', status: 404 },
    'DEPLOY_ARTIFACT_MISSING',
    'artifact-missing',
    'pulled',
  ],
]);
