import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Code, codes } from './codes.ts';

/** The codes of spec 7.2, written out here a second time so that the table cannot vouch for itself. */
const specified: Record<string, { count: number; status: number; names: string }> = {
  AUTH: {
    count: 7,
    status: 401,
    names:
      'TOKEN_MISSING TOKEN_INVALID TOKEN_EXPIRED TOKEN_REVOKED AGENT_CERT_INVALID AGENT_CERT_EXPIRED API_KEY_INVALID',
  },
  PERM: {
    count: 7,
    status: 403,
    names: 'DENIED RESOURCE_DENIED ACTION_DENIED SCOPE_DENIED SOD_VIOLATION SELF_APPROVAL TENANT_MISMATCH',
  },
  VAL: {
    count: 10,
    status: 400,
    names:
      'REQUIRED_FIELD INVALID_FORMAT INVALID_VALUE TOO_LONG TOO_SHORT INVALID_UUID INVALID_DIGEST INVALID_SEMVER INVALID_JSON SCHEMA_MISMATCH',
  },
  RES: {
    count: 9,
    status: 404,
    names:
      'NOT_FOUND ENVIRONMENT_NOT_FOUND RELEASE_NOT_FOUND PROMOTION_NOT_FOUND TARGET_NOT_FOUND AGENT_NOT_FOUND CONFLICT ALREADY_EXISTS VERSION_CONFLICT',
  },
  ENV: {
    count: 5,
    status: 422,
    names: 'FROZEN FREEZE_ACTIVE INVALID_ORDER CIRCULAR_PROMOTION QUOTA_EXCEEDED',
  },
  REL: {
    count: 7,
    status: 422,
    names:
      'ALREADY_FINALIZED NOT_READY DIGEST_MISMATCH TAG_NOT_FOUND COMPONENT_MISSING INVALID_STATUS_TRANSITION DEPRECATED',
  },
  PROM: {
    count: 9,
    status: 422,
    names:
      'ALREADY_EXISTS NOT_PENDING ALREADY_APPROVED ALREADY_REJECTED ALREADY_CANCELLED DEPLOYING INVALID_STATE APPROVER_REQUIRED SKIP_ENVIRONMENT',
  },
  DEPLOY: {
    count: 11,
    status: 422,
    names:
      'IN_PROGRESS NO_TARGETS TARGET_UNHEALTHY AGENT_UNAVAILABLE ARTIFACT_MISSING TIMEOUT PULL_FAILED DIGEST_VERIFICATION_FAILED HEALTH_CHECK_FAILED ROLLBACK_IN_PROGRESS NOTHING_TO_ROLLBACK',
  },
  GATE: { count: 5, status: 422, names: 'EVALUATION_FAILED SECURITY_BLOCKED POLICY_BLOCKED APPROVAL_BLOCKED TIMEOUT' },
  AGT: {
    count: 8,
    status: 422,
    names:
      'REGISTRATION_FAILED TOKEN_INVALID TOKEN_USED CERTIFICATE_FAILED OFFLINE CAPABILITY_MISSING TASK_FAILED HEARTBEAT_TIMEOUT',
  },
  INT: {
    count: 6,
    status: 422,
    names: 'CONNECTION_FAILED AUTH_FAILED RATE_LIMITED TIMEOUT INVALID_RESPONSE RESOURCE_NOT_FOUND',
  },
  WF: {
    count: 7,
    status: 422,
    names:
      'TEMPLATE_NOT_FOUND TEMPLATE_INVALID CYCLE_DETECTED STEP_FAILED ALREADY_RUNNING INVALID_STATE EXPRESSION_ERROR',
  },
  SYS: {
    count: 7,
    status: 500,
    names: 'INTERNAL_ERROR DATABASE_ERROR STORAGE_ERROR VAULT_ERROR QUEUE_ERROR SERVICE_UNAVAILABLE OVERLOADED',
  },
};

const conflicts = new Set(['RES_CONFLICT', 'RES_ALREADY_EXISTS', 'RES_VERSION_CONFLICT']);

const specifiedCodes = Object.entries(specified).flatMap(([prefix, { status, names }]) =>
  names.split(' ').map((name) => ({
    code: `${prefix}_${name}`,
    status: conflicts.has(`${prefix}_${name}`) ? 409 : status,
  })),
);

const rows: readonly (readonly [string, Code])[] = Object.entries(codes);

test('the table holds exactly the 98 specified codes', () => {
  const inTable = rows.map(([code]) => code).filter((code) => /^[A-Z_]+$/.test(code));

  assert.equal(specifiedCodes.length, 98);
  assert.deepEqual(inTable.toSorted(), specifiedCodes.map(({ code }) => code).toSorted());
});

for (const [prefix, { count }] of Object.entries(specified)) {
  test(`${prefix}_ has ${count} codes`, () => {
    assert.equal(rows.filter(([code]) => code.startsWith(`${prefix}_`)).length, count);
  });
}

// spec: 7.1/prefix-status
test('each specified code has the status of its prefix, and conflicts are 409', () => {
  const table = new Map(rows);
  for (const { code, status } of specifiedCodes) assert.equal(table.get(code)?.status, status, code);
});

test('a category and its statuses belong together, for the modules’ codes too', () => {
  const statuses: Record<Code['category'], readonly number[]> = {
    authentication: [401],
    permission: [403],
    validation: [400],
    resource: [404, 409],
    domain: [422, 429],
    system: [500],
  };
  for (const [code, { category, status }] of rows) assert.ok(statuses[category].includes(status), code);
});

// spec: rulings/1
test('the modules’ own codes have the ruled statuses', () => {
  assert.deepEqual(
    Object.fromEntries(rows.filter(([code]) => !/^[A-Z_]+$/.test(code)).map(([code, { status }]) => [code, status])),
    {
      preflight_failed: 422,
      delivery_already_completed: 409,
      invalid_request: 400,
      invalid_client: 401,
      invalid_grant: 400,
      unauthorized_client: 400,
      unsupported_grant_type: 400,
      unsupported_response_type: 400,
      invalid_scope: 400,
      invalid_target: 400,
      invalid_dpop_proof: 400,
      use_dpop_nonce: 400,
      authorization_pending: 400,
      slow_down: 400,
      expired_token: 400,
      access_denied: 400,
      invalid_token: 401,
      insufficient_scope: 403,
      introspection_denied: 401,
      cost_limit_exceeded: 400,
      cost_budget_exhausted: 429,
      airgap_anchor_foreign: 400,
      airgap_anchor_rejected: 400,
      airgap_anchor_replayed: 409,
      airgap_anchor_unusable: 422,
      airgap_policy_required: 422,
      airgap_startup_blocked: 422,
      kit_archive_unsafe: 422,
      kit_attestation_invalid: 422,
      kit_chain_broken: 409,
      kit_content_mismatch: 422,
      kit_expired: 422,
      kit_from_future: 422,
      kit_part_foreign: 422,
      kit_part_missing: 409,
      kit_revoked: 422,
      kit_rolled_back: 409,
      kit_root_mismatch: 409,
      kit_untrusted: 422,
      root_expired: 422,
      root_out_of_order: 409,
      root_untrusted: 422,
      sync_ahead: 409,
      sync_gap: 409,
      sync_replayed: 409,
      sync_untrusted: 422,
      'advisoryai.validation.tenant_required': 400,
      'advisoryai.validation.query_required': 400,
      'advisoryai.validation.query_too_long': 400,
      'advisoryai.validation.period_invalid': 400,
      'advisoryai.validation.batch_too_large': 400,
      'advisoryai.validation.id_invalid': 400,
      'advisoryai.not_found': 404,
    },
  );
});

test('every code says what happened in one sentence', () => {
  for (const [code, { meaning }] of rows) assert.match(meaning, /^[A-Z].*\.$/, code);
});

test('no refusal of the caller’s input or rights invites a blind retry', () => {
  // A client that polls for a device code is told to come again until a person has answered (RFC 8628 3.5).
  const polled = new Set<string>(['authorization_pending', 'slow_down']);
  for (const [code, { category, retryable }] of rows) {
    if (category !== 'domain' && category !== 'system') assert.equal(retryable, polled.has(code), code);
  }
});
