import type { CallerKind, Who } from '../core/caller.ts';
import { toTenantId } from '../core/ids.ts';

interface CallerSeed {
  readonly tenant?: string;
  readonly subject: string;
  readonly scopes?: readonly string[];
  readonly kind?: CallerKind;
}

/** Creates a caller as the edge does. */
export const caller = ({ tenant = 'acme', subject, scopes = [], kind = 'user' }: CallerSeed): Who => ({
  tenant: toTenantId(tenant),
  subject,
  clientId: kind === 'client' ? subject : 'console',
  scopes: new Set(scopes),
  kind,
  correlationId: '01900000-0000-7000-8000-000000000000',
  assertedTenants: [],
});

const operating = [
  'release:read',
  'orch:read',
  'orch:operate',
  'orch:approve',
  'orch:admin',
  'authority:admin',
] as const;

/** Callers that most tests use. */
export const people = {
  operator: caller({ subject: '00000000-0000-7000-8000-00000000000a', scopes: operating }),
  approver: caller({ subject: '00000000-0000-7000-8000-00000000000b', scopes: operating }),
  'second-approver': caller({ subject: '00000000-0000-7000-8000-00000000000c', scopes: operating }),
  viewer: caller({ subject: '00000000-0000-7000-8000-00000000000d', scopes: ['release:read', 'orch:read'] }),
  directory: caller({ subject: '00000000-0000-7000-8000-000000000010', scopes: ['authority:scim'], kind: 'client' }),
  searcher: caller({ subject: '00000000-0000-7000-8000-000000000011', scopes: ['advisory-ai:operate'] }),
  'search-reader': caller({ subject: '00000000-0000-7000-8000-000000000012', scopes: ['advisory-ai:view'] }),
  'search-admin': caller({
    subject: '00000000-0000-7000-8000-000000000013',
    scopes: ['advisory-ai:admin', 'findings:read', 'policy:read', 'vex:read'],
  }),
  'other-searcher': caller({
    tenant: 'globex',
    subject: '00000000-0000-7000-8000-000000000014',
    scopes: ['advisory-ai:admin'],
  }),
  'scan-operator': caller({
    subject: '00000000-0000-7000-8000-000000000015',
    scopes: ['scanner.scans.read', 'scanner.scans.write'],
  }),
  'scan-reader': caller({ subject: '00000000-0000-7000-8000-000000000016', scopes: ['scanner:read'] }),
  'other-scan-operator': caller({
    tenant: 'globex',
    subject: '00000000-0000-7000-8000-000000000017',
    scopes: ['scanner.scans.read', 'scanner.scans.write'],
  }),
  'notify-admin': caller({ subject: '00000000-0000-7000-8000-0000000000aa', scopes: ['notify.admin'] }),
  'notify-operator': caller({ subject: '00000000-0000-7000-8000-0000000000ab', scopes: ['notify.operator'] }),
  'notify-viewer': caller({ subject: '00000000-0000-7000-8000-0000000000ac', scopes: ['notify.viewer'] }),
  'other-notify-admin': caller({
    tenant: 'globex',
    subject: '00000000-0000-7000-8000-0000000000ad',
    scopes: ['notify.admin'],
  }),
  'airgap-operator': caller({
    subject: '00000000-0000-7000-8000-0000000000ba',
    scopes: ['airgap:seal', 'airgap:status:read'],
  }),
  'airgap-viewer': caller({ subject: '00000000-0000-7000-8000-0000000000bb', scopes: ['airgap:status:read'] }),
  'other-airgap-operator': caller({
    tenant: 'globex',
    subject: '00000000-0000-7000-8000-0000000000bc',
    scopes: ['airgap:seal', 'airgap:status:read'],
  }),
  scanner: caller({
    subject: '00000000-0000-7000-8000-000000000018',
    scopes: ['scanner:read', 'scanner:write', 'findings:read'],
  }),
  'evidence-operator': caller({ subject: '00000000-0000-7000-8000-0000000000ba', scopes: ['export.operator'] }),
  'evidence-viewer': caller({ subject: '00000000-0000-7000-8000-0000000000bb', scopes: ['export.viewer'] }),
  'other-evidence-operator': caller({
    tenant: 'globex',
    subject: '00000000-0000-7000-8000-0000000000bc',
    scopes: ['export.operator'],
  }),
  nobody: caller({ subject: '00000000-0000-7000-8000-00000000000e' }),
  'other-tenant': caller({ tenant: 'globex', subject: '00000000-0000-7000-8000-00000000000f', scopes: operating }),
} as const;

export type Person = keyof typeof people;

export const isPerson = (name: unknown): name is Person => typeof name === 'string' && Object.hasOwn(people, name);
