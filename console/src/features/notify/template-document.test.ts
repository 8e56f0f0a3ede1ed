import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentOf, partsOf } from './template-document.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const NAME = { tenant: 'acme', key: 'deployment.failed', channelType: 'EMAIL', locale: 'de' } as const;

test('an own template begins with a shipped one, under a name and a tenant of its own', () => {
  const shipped = JSON.stringify({
    schemaVersion: 'notify.template.event@1',
    templateId: 'deployment-failed-email-de-shipped',
    tenantId: '_system',
    subject: 'Fehlgeschlagen',
    body: 'x',
    renderMode: 'html',
    format: 'email',
    placeholders: [{ name: 'event.attributes.product', description: 'Product' }],
    createdAt: '2026-01-01T00:00:00Z',
  });
  const written = JSON.parse(documentOf(shipped, NAME, { ...partsOf(shipped, 'EMAIL'), body: 'y' }, NOW));
  assert.deepEqual(
    [written.templateId, written.tenantId, written.subject, written.body, written.renderMode, written.createdAt],
    ['deployment-failed-email-de', 'acme', 'Fehlgeschlagen', 'y', 'html', '2026-01-01T00:00:00Z'],
  );
  assert.equal(written.placeholders.length, 1);
});

test('an own document keeps its name, and an emptied subject is left out', () => {
  const own = documentOf(undefined, NAME, partsOf(undefined, 'EMAIL'), NOW);
  const renamed = JSON.stringify({ ...JSON.parse(own), templateId: 'ours' });
  const again = JSON.parse(documentOf(renamed, NAME, { ...partsOf(renamed, 'EMAIL'), subject: '' }, NOW));
  assert.equal(again.templateId, 'ours');
  assert.equal('subject' in again, false);
});
