import type { ListedCommand } from '@landfall/kernel/operator/command';

export const authorityCommands: readonly ListedCommand[] = [
  {
    words: ['admin', 'create'],
    summary: 'lets the first administrator into a tenant that has nobody yet',
    load: async (host) => (await import('./admin-create.ts')).adminCreate(host),
  },
  {
    words: ['tenant', 'list'],
    summary: 'lists the tenants with their plans and licences',
    load: async (host) => (await import('./tenants.ts')).tenantList(host),
  },
  {
    words: ['tenant', 'set'],
    summary: 'makes a tenant, or sets its name, plans and licence',
    load: async (host) => (await import('./tenants.ts')).tenantSet(host),
  },
  {
    words: ['tenant', 'stop'],
    summary: 'ends at once whatever was issued in a tenant',
    load: async (host) => (await import('./tenants.ts')).tenantStop(host),
  },
  {
    words: ['tenant', 'resume'],
    summary: 'lets a stopped tenant go on',
    load: async (host) => (await import('./tenants.ts')).tenantResume(host),
  },
  {
    words: ['tenant', 'domain'],
    summary: 'assigns an e-mail domain to a tenant without DNS, or takes it away',
    load: async (host) => (await import('./tenant-domain.ts')).tenantDomain(host),
  },
];
